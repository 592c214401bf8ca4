"""A few sentence pairs in words and in pieces, and their links."""

from pathlib import Path

from isogloss import program

FILES = {
    "w.en": "the houses are red\n\nit 's the end\n",
    "p.en": "▁the ▁house s ▁are ▁red\n\n▁it ▁' s ▁the ▁end\n",
    "w.es": "las casas son rojas\n\nes el fin\n",
    "b.es": "las ca@@ sas son ro@@ jas\n\nes el fin\n",
    "links": "0-0 1-1 2-2 3-3\n\n0-0 1-0 2-1 3-2\n",
}


def run(folder: Path, *arguments: str) -> int:
    """Run a command; arguments that start with / are files of the folder."""
    return program.main(
        [word.replace("/", f"{folder}/") if "/" in word else word for word in arguments]
    )
