"""Commands run on text with domains."""

from isogloss import program

LINES = 600
DOMAINS = ["everyday", "legal", "medical", "software", "out"]


def pair(folder):
    return folder / "train.en", folder / "train.es"


def run(*arguments, status=0):
    assert program.main([str(argument) for argument in arguments]) == status


def tsv(text):
    header, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(header, row, strict=True)) for row in rows]
