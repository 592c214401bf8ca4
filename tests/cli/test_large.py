"""Files that are long enough for kernels: shorter ones are read without, and nothing is loaded."""

from pathlib import Path

import pytest

from isogloss import program


def test_links_of_many_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"0-{k % 7} 1-1" for k in range(20_000)]
    links, gold = tmp_path / "links", tmp_path / "gold"
    links.write_text("\n".join(lines) + "\n")
    gold.write_text("\n".join(["0-0 1-1"] * len(lines)) + "\n")
    assert program.main(["evaluate", str(links), str(gold)]) == 0
    right = sum(line == "0-0 1-1" for line in lines) + len(lines)
    assert f"{100 * (1 - right / (2 * len(lines))):.2f}" in capsys.readouterr().out


def test_table_of_many_rules(tmp_path: Path) -> None:
    rules = [
        f"w{k:05} x ||| é{k % 7} v{k} ||| 0.{k % 9 + 1} 0.001 ||| 0-0 ||| 2 1 1 ||| A_{k % 5} 0.5"
        for k in range(4000)
    ]
    table, out = tmp_path / "table", tmp_path / "out"
    table.write_text("\n".join(rules) + "\n", encoding="utf-8")
    assert program.main(["features", str(table), "--min-count", "1", "-o", str(out), "-q"]) == 0
    written = out.read_text(encoding="utf-8").splitlines()
    assert len(written) == len(rules)
    assert written[17].split(" ||| ")[:4] == rules[17].split(" ||| ")[:4]
