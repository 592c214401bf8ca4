"""Rooms, directions and sizes, as CONTRIBUTING has them."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.architecture.reading import (
    FILE_LINES,
    FUNCTION_LINES,
    KERNEL_LINES,
    PACKAGES,
    PARAMETERS,
    ROOT,
    Module,
    Size,
    circle,
    import_graph,
    modules,
    package_of,
    room_graph,
    too_large,
)

MAX_ROOMS, MAX_FILES = 16, 15
COUNTED = (*PACKAGES, "data/generate", "benchmarks", "tests")
BANNED = {"utils", "util", "helpers", "misc", "common"}
OTHER_TESTS = {"tests/unit/data": "data/generate", "tests/unit/benchmarks": "benchmarks"}
EXCEPTION = re.compile(
    r"^\| `([\w/.]+(?::[\w*]+)?)` \| (\d+) (lines|parameters) \| (\S.*) \|$", re.M
)

Write = Callable[[dict[str, str]], list[Module]]


@pytest.fixture(scope="module")
def house() -> list[Module]:
    return modules(ROOT, *PACKAGES)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Modules of a small tree that is made up."""

    def write(files: dict[str, str]) -> list[Module]:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return modules(tmp_path, *{name.partition("/")[0] for name in files})

    return write


# --- circles and directions


def test_no_circle_between_modules(house: list[Module]) -> None:
    assert len(house) > 150
    assert circle(import_graph(house)) == []


def test_no_circle_between_rooms(house: list[Module]) -> None:
    assert circle(room_graph(import_graph(house))) == []


@pytest.mark.parametrize(
    "line",
    [
        "from ..b.other import x",
        "from isogloss.align.b import other",
        "import isogloss.align.b.other",
        "if TYPE_CHECKING:\n    from ..b.other import x",
        "def f():\n    from ..b import other",
    ],
)
def test_a_circle_is_seen_however_it_is_imported(write: Write, line: str) -> None:
    tree = write({
        "align/__init__.py": "from .a.one import x",
        "align/a/__init__.py": "",
        "align/a/one.py": line,
        "align/b/__init__.py": "",
        "align/b/other.py": "from ..a import one",
    })  # fmt: skip
    assert circle(import_graph(tree)) == ["isogloss.align.a.one", "isogloss.align.b.other"]
    assert circle(room_graph(import_graph(tree))) == ["isogloss.align.a", "isogloss.align.b"]


def test_rooms_may_make_a_circle_where_modules_make_none(write: Write) -> None:
    tree = write({
        "align/a/one.py": "from ..b.other import x",
        "align/a/two.py": "",
        "align/b/other.py": "from ..a.two import x",
    })  # fmt: skip
    assert circle(import_graph(tree)) == []
    assert circle(room_graph(import_graph(tree))) == ["isogloss.align.a", "isogloss.align.b"]


def test_a_room_within_a_room_is_one_of_its_own(write: Write) -> None:
    """Kernels belong to the room that they stand in."""
    tree = write({
        "tune/a/__init__.py": "from .inner.kernels.fast import x",
        "tune/a/one.py": "from .kernels.slow import x",
        "tune/a/kernels/slow.py": "from ..two import x",
        "tune/a/two.py": "",
        "tune/a/inner/__init__.py": "",
        "tune/a/inner/kernels/fast.py": "from ..three import x",
        "tune/a/inner/three.py": "from ..two import x",
        "tune/kernels/shared.py": "",
        "tune/single.py": "from .kernels.shared import x",
    })  # fmt: skip
    assert circle(import_graph(tree)) == []
    assert room_graph(import_graph(tree)) == {
        "isogloss.tune.a": {"isogloss.tune.a.inner"},
        "isogloss.tune.a.inner": {"isogloss.tune.a"},
        "isogloss.tune.kernels": set(),
        "isogloss.tune.single": {"isogloss.tune.kernels"},
    }
    assert circle(room_graph(import_graph(tree))) == ["isogloss.tune.a", "isogloss.tune.a.inner"]


def upward(graph: Mapping[str, set[str]]) -> list[str]:
    """Imports from a folder that comes later."""
    level = {name: number for number, name in enumerate(PACKAGES)}
    return [
        f"{name} -> {target}"
        for name, targets in graph.items()
        for target in sorted(targets)
        if level[package_of(target)] > level[package_of(name)]
    ]


def test_packages_import_downwards(house: list[Module]) -> None:
    assert upward(import_graph(house)) == []


def test_an_arrow_up_is_seen(write: Write) -> None:
    tree = write({
        "align/a.py": "def f():\n    from isogloss.tune.b import x",
        "tune/b.py": "import isogloss.align.a",
    })  # fmt: skip
    assert upward(import_graph(tree)) == ["isogloss.align.a -> isogloss.tune.b"]


# --- rooms


def entries(folder: Path) -> list[str]:
    """Modules and folders with modules."""
    return sorted(
        path.name
        for path in folder.iterdir()
        if path.suffix == ".py" or (not path.is_symlink() and any(path.rglob("*.py")))
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_of_a_package(package: str) -> None:
    assert len([name for name in entries(ROOT / package) if name != "__init__.py"]) <= MAX_ROOMS


def test_files_of_a_room(house: list[Module]) -> None:
    counts: dict[str, int] = {}
    for module in [*house, *modules(ROOT, "data/generate")]:
        if len(module.path.parts) > 2 and not module.is_package:
            folder = module.path.parent.as_posix()
            counts[folder] = counts.get(folder, 0) + 1
    assert {folder: count for folder, count in counts.items() if count > MAX_FILES} == {}


def is_banned(name: str) -> bool:
    return bool(BANNED & set(name.removesuffix(".py").split("_")))


def test_no_module_is_named_after_nothing() -> None:
    folders = (*PACKAGES, "data", "benchmarks", "tests")
    names = {module.path for module in modules(ROOT, *folders)}
    assert [path for path in names if any(map(is_banned, path.parts))] == []
    assert is_banned("utils.py")
    assert is_banned("text_utils")
    assert not is_banned("utilization.py")


def test_every_folder_of_modules_is_a_regular_package() -> None:
    folders = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def has_kernel(module: Module) -> bool:
    names = {"njit", "jit", "vectorize", "guvectorize"}
    return any(
        getattr(getattr(decorator, "func", decorator), "id", "") in names
        for function in module.functions()
        for decorator in function.decorator_list
    )


def test_kernels_stand_in_folders_of_that_name(house: list[Module], write: Write) -> None:
    assert [module.name for module in house if has_kernel(module) and not module.is_kernel] == []
    tree = write({"align/a.py": "@njit(nogil=True)\ndef f(): ...", "align/b.py": "def njit(): ..."})
    assert [module.name for module in tree if has_kernel(module)] == ["isogloss.align.a"]


def orphans(root: Path) -> list[str]:
    """Folders of unit tests that mirror no room, and test modules of a room that is none."""
    result = []
    for folder in sorted({path.parent for path in (root / "tests/unit").rglob("test_*.py")}):
        name = folder.relative_to(root).as_posix()
        if not (root / OTHER_TESTS.get(name, name.removeprefix("tests/unit/"))).is_dir():
            result.append(name)
    return result


def test_unit_tests_mirror_the_rooms(tmp_path: Path) -> None:
    assert orphans(ROOT) == []
    for name in ("tests/unit/align/model", "tests/unit/align/gone", "align/model"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "test_x.py").touch()
    assert orphans(tmp_path) == ["tests/unit/align/gone"]


# --- sizes


def exceptions(text: str) -> dict[str, tuple[int, str]]:
    """What CONTRIBUTING allows: FILE, FILE:FUNCTION or FILE:* -> the largest number, its unit.

    Lines of a table: | `align/kernels/simd.py:*` | 18 parameters | why |
    """
    return {
        f"{where} {unit}": (int(number), unit) for where, number, unit, _ in EXCEPTION.findall(text)
    }


def allowed_by(size: Size, allowed: Mapping[str, tuple[int, str]]) -> str | None:
    """The exception that a size falls under."""
    file = size.where.partition(":")[0]
    for where in (size.where, f"{file}:*"):
        key = f"{where} {size.unit}"
        if key in allowed and size.number <= allowed[key][0]:
            return key
    return None


def test_sizes() -> None:
    """A function fits a screen, a file is one idea; CONTRIBUTING lists what is larger, and why."""
    allowed = exceptions((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    sizes = list(too_large(modules(ROOT, *COUNTED)))
    used = {size: allowed_by(size, allowed) for size in sizes}
    assert [str(size) for size, exception in used.items() if exception is None] == []
    assert set(allowed) - set(used.values()) == set()  # what is no longer so large


def function(name: str, lines: int, parameters: int = 0) -> str:
    names = ", ".join(f"x{k}" for k in range(parameters))
    return f"def {name}({names}):\n" + "    x = 1\n" * (lines - 1)


def test_what_is_too_large_is_seen(write: Write) -> None:
    tree = write({
        "align/a.py": "class A:\n    def f(self, a, b, c, d, e, f, g, h): ...\n"
        + function("long", FUNCTION_LINES + 1) + function("short", FUNCTION_LINES),
        "align/kernels/b.py": function("k", KERNEL_LINES) + function("many", 3, PARAMETERS + 1)
        + function("l", KERNEL_LINES + 1),
        "align/c.py": "x = 1\n" * (FILE_LINES + 1),
        "align/d.py": "x = 1\n" * FILE_LINES,
    })  # fmt: skip
    assert [str(size) for size in too_large(tree)] == [
        "align/a.py:long: 61 lines",
        "align/c.py: 401 lines",
        "align/kernels/b.py:many: 9 parameters",
        "align/kernels/b.py:l: 91 lines",
    ]


def test_exceptions_are_read() -> None:
    text = (
        "| file | now | why |\n| `a/b.py` | 410 lines | words |\n| `a/c.py:*` | 12 parameters | x |"
    )
    allowed = exceptions(text)
    assert allowed_by(Size("a/b.py", 410, "lines"), allowed) == "a/b.py lines"
    assert allowed_by(Size("a/b.py", 411, "lines"), allowed) is None
    assert allowed_by(Size("a/c.py:f", 9, "parameters"), allowed) == "a/c.py:* parameters"
    assert allowed_by(Size("a/c.py:f", 70, "lines"), allowed) is None
    assert exceptions("| `a/b.py` | 410 lines |  |") == {}
