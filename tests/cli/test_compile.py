"""isogloss compile, and what doctor says of the installation."""

import json
import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numba
import pytest

from isogloss import program
from isogloss.align import kernel_cache, shipped_kernels
from isogloss.align.kernel_cache import KernelCacheError
from isogloss.align.kernels.lazy import Kernel
from isogloss.align.shipped_kernels import OTHER_CODE
from isogloss.compilation import portable, signatures
from isogloss.doctor import installation

QUICK = [line for line in signatures.read_list() if "copy_spans" in line][:2]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A short list; where kernels are kept, and where those of the installation are."""
    for name in OTHER_CODE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(signatures, "read_list", lambda: QUICK)
    monkeypatch.setattr(portable, "read_list", lambda: QUICK)
    monkeypatch.setattr(shipped_kernels, "FOLDER", tmp_path / "compiled")
    return tmp_path


@pytest.mark.thorough
def test_all_are_compiled_once(few: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for said in ("2 kernels were compiled, 0 were cached\n", "0 kernels were compiled, 2 were"):
        assert program.main(["compile", "--jobs", "1"]) == 0
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(said)
    assert len(list(few.glob("cache/*/*.nbc"))) == 2


@pytest.mark.thorough
def test_portable_ones_are_put_into_the_installation(
    few: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["compile", "-j", "1", "--portable"]) == 0
    assert capsys.readouterr().err == "2 kernels were compiled, 0 were cached\n"
    assert len(list(few.glob("compiled/align/kernels/*.nbc"))) == 2


def test_settings_of_numba_are_refused(
    few: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert program.main(["compile", "--portable"]) == 2
    assert (
        "isogloss compile: NUMBA_CPU_NAME is set and changes the compiled code"
    ) in capsys.readouterr().err
    assert list(few.iterdir()) == []


def test_an_installation_is_described(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twice the same, also where other tests compile kernels meanwhile."""
    look, seen = Kernel.is_on_disk, {}
    monkeypatch.setattr(
        Kernel, "is_on_disk",
        lambda kernel, types: seen.setdefault((id(kernel), types), look(kernel, types)),
    )  # fmt: skip
    assert program.main(["doctor", "--installation", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    names = ["isogloss", "Python", "Numba", "KenLM", "processor", "compiled kernels"]
    assert list(figures) == [*names, "cache of other kernels", "ready"]
    ready, of, number = figures["ready"].split()[:3]
    assert 0 <= int(ready) <= int(number) == len(signatures.read_list())
    assert of == "of"
    assert program.main(["doctor", "--installation"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{name}: {value}" for name, value in figures.items()]


@pytest.mark.parametrize(
    ("installed", "told"),
    [
        ({}, "not installed"),
        ({"kenlm": "0.3.0"}, "kenlm 0.3.0 cannot be loaded"),
        ({"camel-kenlm": "2026.2.7", "kenlm": "0.3.0"}, "camel-kenlm 2026.2.7 cannot be loaded"),
    ],
)
def test_an_installation_without_kenlm(
    installed: dict[str, str], told: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def version(name: str) -> str:
        if name.endswith("kenlm") and name not in installed:
            raise PackageNotFoundError
        return installed.get(name, "1")

    monkeypatch.setattr(installation, "kenlm_module", lambda: None)
    monkeypatch.setattr(installation, "version", version)
    assert program.main(["doctor", "--installation"]) == 0
    said = f"\nKenLM: {told} (optional; it does not change scores)\n"
    assert said in capsys.readouterr().out


def test_no_place_for_kernels_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(folder: Path) -> Path:
        raise KernelCacheError("set NUMBA_CACHE_DIR")

    monkeypatch.setattr(installation, "cache_folder", refuse)
    assert program.main(["doctor", "--installation"]) == 0
    told = capsys.readouterr().out
    assert "cache of other kernels: nowhere: set NUMBA_CACHE_DIR\n" in told
    assert re.search(r"\nready: \d+ of \d+ kernels(; the others are compiled in each run)?\n", told)


def test_an_unwritable_folder_of_the_user_is_told(
    few: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (few / "file").touch()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(few / "file" / "cache"))
    refused = str(few / "file" / "cache")
    assert program.main(["doctor", "--installation"]) == 0
    assert (
        f", because NUMBA_CACHE_DIR ({refused}) cannot be written to\n" in capsys.readouterr().out
    )
    assert program.main(["compile"]) == 1
    told = f"isogloss compile: NUMBA_CACHE_DIR is {refused}, which cannot be written to; set NUMBA"
    assert capsys.readouterr().err.startswith(told)


@pytest.mark.thorough
def test_damaged_kernels_are_told_and_made_anew(
    few: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "read_list", lambda: QUICK)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(few / "cache"))
    for kernel in {line.partition("(")[0] for line in QUICK}:
        monkeypatch.setattr(signatures.parse_line(f"{kernel}()").kernel, "_dispatcher", None)
    assert program.main(["compile", "-j", "1", "-q"]) == 0
    for suffix in ("nbi", "nbc"):
        paths = list(few.glob(f"cache/*/*.{suffix}"))
        for path in paths:
            path.write_bytes(b"cut off")
        assert program.main(["doctor", "--installation"]) == 0
        assert (
            "\nready: 0 of 2 kernels; `isogloss compile` compiles the others"
            in capsys.readouterr().out
        )
        assert program.main(["compile", "-j", "1", "-v"]) == 0
        told = capsys.readouterr().err
        assert "\n2 kernels were compiled, 0 were cached\n" in told
        assert all(f"{path} is damaged; the file is skipped\n" in told for path in paths)
        assert program.main(["doctor", "--installation"]) == 0
        assert "\nready: 2 of 2 kernels\n" in capsys.readouterr().out


def test_other_versions_of_numba_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernel_cache, "TESTED", ("0.1.0",))
    assert program.main(["doctor", "--installation"]) == 0
    told = capsys.readouterr().out
    assert "compiled kernels: compiled on this machine by Numba; Numba" in told
    assert "ready:" not in told
    assert program.main(["compile", "--portable"]) == 2
    assert "needs a tested version of Numba, 0.1.0, got" in capsys.readouterr().err


def test_plain_python_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(installation.numba.config, "DISABLE_JIT", 1)
    assert program.main(["doctor", "--installation"]) == 0
    assert "kernels: not compiled, because NUMBA_DISABLE" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["a", "b", "--installation"]])
def test_doctor_looks_at_one_thing(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["doctor", *arguments]) == 2
    assert "pass either a bitext or --installation" in capsys.readouterr().err


@pytest.mark.parametrize(
    "more", [["--labels", "x"], ["--links", "x"], ["--lowercase"], ["--langs", "en-es"]]
)
def test_options_of_bitexts_are_not_for_the_installation(
    more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["doctor", "--installation", *more]) == 2
    assert (
        f"{more[0]} has no effect with --installation, which accepts only"
    ) in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--seed", "--threads"])
def test_compiling_takes_no_options_of_data(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["compile", option, "1"]) == 2
    assert f"unrecognized arguments: {option} 1" in capsys.readouterr().err


def test_where_kernels_came_from_is_told_with_v(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("a b\nb c\n" * 9)
    command = ["lm", str(tmp_path / "text"), "-o", str(tmp_path / "out")]
    assert program.main(command) == 0
    assert "compiled kernels" not in capsys.readouterr().err
    assert program.main([*command, "-v"]) == 0
    assert capsys.readouterr().err.endswith(f"compiled kernels: {shipped_kernels.account()}\n")


def test_plain_python_compiles_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert program.main(["compile"]) == 2
    assert (
        "cannot compile kernels while NUMBA_DISABLE_JIT is set; unset it"
    ) in capsys.readouterr().err
