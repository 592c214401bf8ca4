"""What README, docs and examples name can be imported as written, and files stand where said."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.architecture.reading import FACES, PACKAGES, ROOT, Module, modules

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
TOPS = ("align", "features", "tune", "isogloss", "data", "tests", "docs", "benchmarks", "examples")
HEAVY = {
    "numba", "scipy", "sacrebleu", "rich", "kenlm", "lxml", "highspy", "matplotlib", "starlette",
    "uvicorn", "pandas", "polars", "pyarrow",
}  # fmt: skip
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
_INLINE = re.compile(r"`([^`\n]+)`")
_DOTTED = re.compile(rf"(?<![\w./])(?:{'|'.join(PACKAGES)})(?:\.[A-Za-z_]\w*)+(?![\w/]|\.\w)")
_OF_A_CLASS = re.compile(r"(?<![\w.])([A-Z][A-Za-z]+)\.([a-z_]\w*)(?!\w)")
_PATH = re.compile(rf"(?<![\w./-])(?:{'|'.join(TOPS)})/[\w./{{}},-]*")
_FEATURES = {"CountBin", "DomainLex"}  # names of scores that look like classes
_FILE_NAMES = ("json", "tsv", "py", "toml", "gz", "md", "typed")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(text: str) -> Iterator[str]:
    """Python code between fences."""
    return (code for language, code in _FENCE.findall(text) if language == "python")


def inline(text: str) -> list[str]:
    return _INLINE.findall(_FENCE.sub("", text))


def imports(code: str) -> Iterator[tuple[str, str]]:
    """(module, name) of each import from our packages; the name is empty for a whole module."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in PACKAGES:
            yield from ((str(node.module), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            names = (alias.name for alias in node.names)
            yield from ((name, "") for name in names if name.partition(".")[0] in PACKAGES)


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or something in a module, or in a class of it."""
    parts = name.split(".")
    if parts[0] != "isogloss":  # a checkout has the folder align, an installation hasn't
        return False
    for size in range(len(parts), 0, -1):
        try:
            value: object = import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        for part in parts[size:]:
            if not hasattr(value, part) and part not in getattr(value, "__annotations__", {}):
                return False
            value = getattr(value, part, None)
        return True
    return False


def missing_names(text: str) -> list[str]:
    """Of a page: imports of its code, and dotted names in its text, that lead nowhere."""
    named = {".".join(filter(None, pair)) for code in blocks(text) for pair in imports(code)}
    for span in inline(text):
        dotted = _DOTTED.findall(span)
        named |= {name for name in dotted if name.rpartition(".")[2] not in _FILE_NAMES}
    return sorted(name for name in named if not is_there(name))


# modules for those who write templates or use hypergraphs, by the page that documents them
INTERFACES = {
    "docs/reference/templates.md": (
        "isogloss.features.feature_names", "isogloss.features.templates.apply",
        "isogloss.features.templates.plugins", "isogloss.features.templates.protocol",
        "isogloss.features.templates.specs", "isogloss.tune.decoder.applications",
    ),
    "docs/explanation/forests.md": ("isogloss.tune.forest.inference",),
}  # fmt: skip


def inner_names(text: str, interfaces: tuple[str, ...] = ()) -> list[str]:
    """Imports of a page's code that are neither public names nor from a documented interface."""
    imported = {pair for code in blocks(text) for pair in imports(code)}
    public = {(package, name) for package in FACES for name in import_module(package).__all__}
    public |= {(package, "") for package in FACES}
    return sorted(".".join(filter(None, pair)) for pair in imported
                  if pair not in public and pair[0] not in interfaces)  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_import_public_names(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert inner_names(text, INTERFACES.get(name_of(page), ())) == []


def test_inner_names_are_seen() -> None:
    code = "import isogloss as ig\nfrom isogloss.align import train\nfrom isogloss.a.b import C\n"
    text = f"```python\n{code}import isogloss.c\n```\n"
    assert inner_names(text) == ["isogloss.a.b.C", "isogloss.c"]
    assert inner_names(text, ("isogloss.a.b",)) == ["isogloss.c"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_of_pages_are_there(page: Path) -> None:
    assert missing_names(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_names_of_examples_are_there(example: Path) -> None:
    named = {".".join(filter(None, pair)) for pair in imports(example.read_text(encoding="utf-8"))}
    assert sorted(name for name in named if not is_there(name)) == []


def test_names_that_are_not_there_are_seen() -> None:
    text = """`isogloss.align.Bitext`, `isogloss.align.training.em.Trainer.iterate(x)`,
`align.Bitext` and `isogloss.align.Gone`, `isogloss.json`
```python
from isogloss.align import train, nothing
import isogloss.features.gone
```
```
from isogloss.align import text
```
"""
    assert missing_names(text) == [
        "align.Bitext", "isogloss.align.Gone", "isogloss.align.nothing", "isogloss.features.gone",
    ]  # fmt: skip


# --- classes and files


def members(sources: list[Module]) -> dict[str, set[str]]:
    """Names of each class: methods, fields, attributes set in methods; those of its bases, too."""
    by_class: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    for module in sources:
        for node in module.nodes:
            if not isinstance(node, ast.ClassDef):
                continue
            names = by_class.setdefault(node.name, set())
            bases.setdefault(node.name, set()).update(
                base.id for base in node.bases if isinstance(base, ast.Name)
            )
            for inner in ast.walk(node):
                if isinstance(inner, ast.FunctionDef):
                    names.add(inner.name)
                elif isinstance(inner, ast.AnnAssign | ast.Assign):
                    targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                    names |= {getattr(t, "id", getattr(t, "attr", "")) for t in targets}
    for name, above in bases.items():
        for base in above & set(by_class):
            by_class[name] |= by_class[base]
    return by_class


@pytest.fixture(scope="module")
def classes() -> dict[str, set[str]]:
    return members(modules(ROOT, *PACKAGES))


def is_class_name(name: str) -> bool:
    """Two words at least: TwoWords, but not README or Distortion."""
    return re.fullmatch(r"(?:[A-Z][a-z]+){2,}", name) is not None


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_methods_that_pages_name_are_there(page: Path, classes: dict[str, set[str]]) -> None:
    text = page.read_text(encoding="utf-8")
    named = {match for span in inline(text) for match in _OF_A_CLASS.findall(span)}
    named = {pair for pair in named if pair[0] not in _FEATURES}
    unknown = {a for a, _ in named if a not in classes and not is_class_name(a)}
    missing = [
        f"{a}.{b}" for a, b in sorted(named) if a not in unknown and b not in classes.get(a, ())
    ]
    assert missing == []


def expanded(path: str) -> Iterator[str]:
    """``a/{b,c}.py`` as ``a/b.py`` and ``a/c.py``."""
    match = re.search(r"\{([^}]*)\}", path)
    if not match:
        yield path
        return
    for part in match[1].split(","):
        yield from expanded(path[: match.start()] + part + path[match.end() :])


def missing_paths(text: str, base: Path) -> list[str]:
    """Of a page in the folder ``base``: files of ours that it names, or links to, that aren't."""
    named = {
        path.rstrip(".,/")
        for span in inline(text)
        for pattern in _PATH.findall(span)
        for path in expanded(pattern)
    }
    links = set(re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text))
    named = {path for path in named if not {"NAME", "ROOM"} & set(re.findall(r"[A-Z]+", path))}
    made = Path("docs", "_build")  # by sphinx-build
    wrong = {
        path for path in named if not (ROOT / path).exists() and not Path(path).is_relative_to(made)
    }
    return sorted(wrong | {link for link in links if not (base / link).exists()})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_pages_name_are_there(page: Path) -> None:
    assert missing_paths(page.read_text(encoding="utf-8"), page.parent) == []


def test_files_that_are_not_there_are_seen() -> None:
    text = "`align/{errors,gone}.py`, `docs/`, `tests/naive/x.py` [a](README.md#b) [c](d.md)"
    assert missing_paths(text, ROOT) == ["align/gone.py", "d.md", "tests/naive/x.py"]


# --- faces


class Face:
    """What a package's ``__init__`` says of its names, three times.

    homes: by name MODULE, or MODULE.NAME; typed: MODULE.NAME; names: ``__all__``
    """

    def __init__(self, text: str) -> None:
        self.homes: dict[str, str] = {}
        self.typed: dict[str, str] = {}
        self.names: list[str] = []
        for node in ast.parse(text).body:
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
                for line in node.body:
                    if isinstance(line, ast.ImportFrom):
                        self.typed |= {
                            alias.asname or alias.name: f"{line.module}.{alias.name}"
                            for alias in line.names
                        }
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(target, ast.Name) and target.id == "_HOMES":
                self.homes = ast.literal_eval(node.value)  # type: ignore[union-attr]
            elif isinstance(target, ast.Name) and target.id == "__all__":
                self.names = ast.literal_eval(node.value)  # type: ignore[union-attr]


def read_face(package: str) -> Face:
    folder = package.rpartition(".")[2]
    return Face((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", FACES[1:])
def test_a_face_says_the_same_three_times(package: str) -> None:
    face = read_face(package)
    assert face.names
    assert sorted(face.homes) == sorted(face.typed) == sorted(face.names)
    module = import_module(package)
    for name, typed in face.typed.items():
        assert face.homes[name] in (typed, typed.removesuffix(f".{name}"))
        home, _, attribute = typed.rpartition(".")
        assert getattr(module, name) is getattr(import_module(f"{package}.{home}"), attribute)
    assert set(face.names) <= set(dir(module))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        module.nothing  # noqa: B018


def test_a_face_is_read() -> None:
    face = Face(
        "if TYPE_CHECKING:\n    from .a.b import C\n    from .d import e as f\n"
        "_HOMES = {'C': 'a.b'}\n__all__ = ['C']"
    )
    assert (face.homes, face.names) == ({"C": "a.b"}, ["C"])
    assert face.typed == {"C": "a.b.C", "f": "d.e"}


def names_of_faces(text: str) -> set[str]:
    """``isogloss.align.Bitext`` for each name taken from a face, in code or in strings of code."""
    packages = "|".join(map(re.escape, FACES[1:]))
    result = set(re.findall(rf"\b(?:{packages})\.[A-Za-z_]\w*", text))
    for package, names in re.findall(rf"from ({packages}) import (\([^)]*\)|[^\n]*)", text):
        result |= {f"{package}.{name}" for name in re.findall(r"\w+", names)}
    return result


@pytest.fixture(scope="module")
def used() -> set[str]:
    """Names that tests, pages and examples take from the faces."""
    texts = [module.text for module in modules(ROOT, "tests", "examples", "benchmarks")]
    texts += [page.read_text(encoding="utf-8") for page in PAGES]
    return set().union(*map(names_of_faces, texts))


def test_names_of_faces_are_read() -> None:
    text = (
        "from isogloss.align import a, b\nfrom isogloss.tune import (\n  c,\n  d\n)\n"
        "isogloss.features.E(isogloss.align.x)"
    )
    names = {"align.a", "align.b", "tune.c", "tune.d", "features.E", "align.x"}
    expected = {f"isogloss.{name}" for name in names}
    assert names_of_faces(text) == expected


@pytest.mark.parametrize("package", FACES[1:])
def test_every_name_of_a_face_is_used_by_a_test_or_a_page(package: str, used: set[str]) -> None:
    names = [f"{package}.{name}" for name in read_face(package).names]
    assert [name for name in names if name not in used] == []


@pytest.mark.parametrize(
    "code",
    [
        "import isogloss.align, isogloss.features, isogloss.tune",
        "import runpy; sys.argv = ['isogloss', '--version']\n"
        "try: runpy.run_module('isogloss', run_name='__main__')\n"
        "except SystemExit as end: assert not end.code",
    ],
    ids=["import", "isogloss --version"],
)
def test_a_start_loads_nothing_heavy(code: str) -> None:
    script = f"import sys\n{code}\nprint('loaded', *sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "loaded"
