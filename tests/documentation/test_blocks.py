"""Blocks of pages: what is run, what is compared, and what a failure says."""

import os
from pathlib import Path

import pytest
from sybil.example import SybilFailure

from tests.documentation.blocks import blocks_not_run, commands, evaluate_page, pattern

PAGE = """# A page

```console
$ printf 'a b\\nc\\n' > file
$ cat file
a b
c
$ cat <<'E' | sort
> z
>
> y
> E

y
z
$ ls nothing
ls: ... 'nothing': ...
$ seq 9
1
...
9
```

```python
x = 3
print(x, "words")
```

```text
3 w...
```

A paragraph, and a picture in text:

```text
o--o
```
"""


def write(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_a_page(tmp_path: Path) -> None:
    assert evaluate_page(write(tmp_path, PAGE), tmp_path) == 4


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("\nc\n$", "\nd\n$", r"\$ cat file"),
        ("9\n```", "8\n```", "printed:\n1\n2"),
        ("3 w...", "4 w...", "printed:\n3 words"),
        ("cat file\na b\nc\n", "cat file\n", "expected:\n\nprinted:\na b"),
    ],
)
def test_another_output(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in PAGE
    with pytest.raises(SybilFailure, match=told):
        evaluate_page(write(tmp_path, PAGE.replace(old, new)), tmp_path)


def test_a_block_that_is_not_run(tmp_path: Path) -> None:
    page = "```sh\nfalse\n```\n\n<!-- not run: needs a cluster -->\n\n```sh\nsrun a\nb\n```\n"
    assert evaluate_page(write(tmp_path, page), tmp_path) == 0
    assert list(blocks_not_run(page)) == [("false", ""), ("srun", "needs a cluster")]


def test_commands_in_the_background_end_with_the_page(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"  # its end comes when nobody has it open for writing
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    page = "```console\n$ (echo ready; exec tail -f /dev/null) > pipe 2>&1 &\n```\n"
    evaluate_page(write(tmp_path, page), tmp_path)
    os.set_blocking(reader, True)
    with os.fdopen(reader, "rb") as lines:
        assert lines.read() in (b"", b"ready\n")


def test_commands_of_a_block() -> None:
    block = "$ one\nout\n\n$ two \\\n> three\n$ four\n"
    assert list(commands(block)) == [("one", "out\n\n"), ("two \\\nthree", ""), ("four", "")]


def test_patterns() -> None:
    assert pattern("a ... c\n...\nd").fullmatch("a b b c\nx\ny\nd\n")
    assert pattern("...").fullmatch("")
    assert not pattern("a...").fullmatch("ab\nc\n")
