"""A small text with its links, and how to extract from it."""

from isogloss import program

SOURCE = ["la casa verde", "la casa", "una casa", "la mesa verde"]
TARGET = ["the green house", "the house", "a house", "the green table"]
LINKS = ["0-0 1-2 2-1", "0-0 1-1", "0-0 1-1", "0-0 1-2 2-1"]
# of the text with weights, posteriors and labels
MANY_OPTIONS = [
    "--dense", "--reordering", "wbe-msd-bidirectional-f", "--smooth-with-counts",
    "--instance-weights", "weights", "--domain-posteriors", "posteriors", "--labels", "labels",
    "--label-features", "ratio", "--label-features", "sparse-indicator",
    "--smoothing", "good-turing", "-q",
]  # fmt: skip
LABELS = ["law", "law", "it", "it"]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def run(folder, *options, status=0, output="table"):
    """Options that are names of files in the folder become their paths."""
    inputs = [str(folder / name) for name in ("f", "e", "links")]
    more = [
        str(folder / option) if (folder / option).is_file() else str(option) for option in options
    ]
    named = output if output == "-" else str(folder / output)
    assert program.main(["extract", *inputs, "-o", named, *more]) == status


def lines_of(path):
    return path.read_text("utf-8").splitlines()


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def by_name(folder):
    return {path.name: data for path, data in contents(folder).items()}
