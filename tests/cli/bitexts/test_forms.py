"""What a file is, in the messages of every command."""

import io

from isogloss import program


def test_an_error_says_what_the_file_is(tmp_path, capsys):
    """Also of files that aren't text."""
    (tmp_path / "links").write_text("0-0 1-1\n0-0\n")
    (tmp_path / "gold").write_text("0\t0-0 1-1\n1\t0-0\n")
    assert program.main(["evaluate", str(tmp_path / "links"), str(tmp_path / "gold")]) == 1
    err = capsys.readouterr().err
    assert "'0' is malformed" in err
    assert "The lines begin with a number and a tab" in err and f"`cut -f2- {tmp_path}/gold`" in err
    (tmp_path / "list").write_bytes("0 ||| a b ||| F= 1 ||| 1\n".encode("utf-16-le") * 9)
    assert program.main(["tune", str(tmp_path / "list"), "--refs", str(tmp_path / "gold")]) == 1
    assert f"`iconv -f UTF-16LE -t UTF-8 {tmp_path}/list`" in capsys.readouterr().err


def test_standard_input_is_looked_at_as_it_is_read(tmp_path, monkeypatch, capsys):
    lines = "".join(f"{k}. the house is red ||| {k}. la casa es roja\n" for k in range(9))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert program.main(["align", "-", "-o", str(tmp_path / "links"), "-q"]) == 0
    err = capsys.readouterr().err
    assert "warning: standard input: the lines are numbered" in err and "on both sides" in err
