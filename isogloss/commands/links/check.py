"""isogloss check: links against their text, or the folder of a model, a decoder or forests."""

import json as json_text
from array import array
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.files.stored_folder import FolderFormat
from isogloss.align.files.text_io import split_tokens
from isogloss.align.links.files.link_check import LinkCheck, check_links
from isogloss.align.links.formats.tables import lines_of_links
from isogloss.align.links.gold_links import link_lines
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.tune.decoder.stored_models import MODELS_FORMAT, open_models
from isogloss.tune.forest.forests import Forests
from isogloss.tune.forest.reader import begins_as_forest, holds_texts, read_forests
from isogloss.tune.forest.store import FORESTS_FORMAT, open_forests

from ...console import Console, write_stdout
from ...options import Command, group, option, positional, positive
from ...report import format_table
from ..link_formats import TokenIdOptions, token_id_options
from ..shared import BitextOptions, MessageOptions, OptionalBitextOptions, message_options

__all__ = ["COMMAND", "CheckOptions", "format_check", "run"]


@dataclass(frozen=True)
class CheckOptions:
    """Options of `isogloss check`.

    links: alignments in Pharaoh format, with or without scores, or gold alignments; without SRC
        TGT a model folder, a folder of decode --save, --forests or --hypergraphs, or a forest file
    limit: maximum number of problems to print
    json: print statistics and problems as JSON
    """

    links: str = positional("LINKS")
    bitext: OptionalBitextOptions = group(OptionalBitextOptions)
    limit: int = option(default=10, parse=positive, metavar="N")
    json: bool = False
    ids: TokenIdOptions = token_id_options()
    common: MessageOptions = message_options()


def run(options: CheckOptions, console: Console) -> None:
    """Check links against their text, or a model folder against its checksums."""
    bitext = options.bitext.given
    if not Path(options.links).is_dir():
        if bitext is None and Path(options.links).is_file() and begins_as_forest(options.links):
            _show(_forest_figures(read_forests(options.links)), "Forests", options.json)
            return
        if bitext is None:
            raise UsageError("the text of the links is missing; pass SRC TGT")
        _check_links(options, bitext)
    elif bitext is None and MODELS_FORMAT.is_at(options.links):
        _show_folder(Path(options.links), MODELS_FORMAT, _decoder_figures, options.json)
    elif bitext is None and FORESTS_FORMAT.is_at(options.links):
        _show_folder(Path(options.links), FORESTS_FORMAT, _stored_figures, options.json)
    elif bitext is None and not MODEL_FORMAT.is_at(options.links) and holds_texts(options.links):
        _show(_forest_figures(read_forests(options.links)), "Forests", options.json)
    elif bitext is None:
        _show_folder(Path(options.links), MODEL_FORMAT, _model_figures, options.json)
    else:
        raise UsageError(
            f"{options.links} is a folder, which is checked without a text; omit SRC TGT"
        )


def _check_links(options: CheckOptions, bitext: BitextOptions) -> None:
    source_lengths, target_lengths = array("i"), array("i")
    for pair in bitext.pairs():
        source_lengths.append(len(split_tokens(pair.source)))
        target_lengths.append(len(split_tokens(pair.target)))
    file, size = options.links, len(source_lengths)
    checked = check_links(
        link_lines(lines_of_links(file), file, size, options.ids.files),
        np.array(source_lengths, np.int64),
        np.array(target_lengths, np.int64),
        options.limit,
    )
    if options.json:
        figures = asdict(checked) | {"num_problems": checked.num_problems}
        write_stdout(json_text.dumps(figures) + "\n")
    else:
        write_stdout(format_check(checked))
    if checked.num_problems:
        raise DataError(
            f"the file has {pluralize(checked.num_problems, 'problem')}",
            "each link once and inside its sentence pair",
            file=options.links,
            remedy=checked.hint[:1].upper() + checked.hint[1:],
        )


def _show_folder(
    folder: Path, kind: FolderFormat, read: Callable[[Path], dict[str, int]], json: bool
) -> None:
    """Read a folder whole and show what it holds."""
    counts = read(folder)
    version = kind.read_header(folder)["version"]
    sizes = [path.stat().st_size for path in folder.iterdir()]
    figures: dict[str, Any] = {
        "format": ".".join(map(str, version)),
        "checksums": version >= kind.sealed_since,
        "files": len(sizes),
        "bytes": sum(sizes),
        **counts,
    }
    if not json:
        told = "all match" if figures["checksums"] else "none before format 2.1"
        figures["checksums"] = told
    _show(figures, "Model", json)


def _show(figures: dict[str, Any], title: str, json: bool) -> None:
    if json:
        write_stdout(json_text.dumps(figures) + "\n")
    else:
        rows = [(name.replace("_", " "), value) for name, value in figures.items()]
        write_stdout(format_table(title, ("", ""), rows))


def _model_figures(folder: Path) -> dict[str, int]:
    """What an alignment model holds."""
    model = AlignmentModel.load(folder, verify=True)
    return {
        "domains": len(model.domains),
        "source_types": len(model.source_vocabulary) - 1,
        "target_types": len(model.target_vocabulary) - 1,
        "word_pairs": len(model.index),
    }


def _decoder_figures(folder: Path) -> dict[str, int]:
    """What the models of a decoder hold."""
    models = open_models(folder, verify=True)
    return {
        "rules": len(models.table),
        "source_phrases": len(models.table.source),
        "target_phrases": len(models.table.target),
        "sparse_features": len(models.table.sparse_names),
        "reordering_tables": len(models.reordering),
        "language_models": len(models.language_models),
    }


def _stored_figures(folder: Path) -> dict[str, int]:
    """What stored forests hold."""
    return _forest_figures(open_forests(folder, verify=True))


def _forest_figures(forests: Forests) -> dict[str, int]:
    """What forests hold, each of them made."""
    figures = {"sentences": len(forests), "forests": 0, "nodes": 0, "edges": 0}
    for graph in forests.select(forests.found):
        figures["forests"] += 1
        figures["nodes"] += graph.num_nodes
        figures["edges"] += graph.num_edges
    return figures | {"feature_names": len(forests.space)}


def format_check(checked: LinkCheck) -> str:
    """The figures of a check and its first problems, as text."""

    def share(part: int, whole: int) -> str:
        return f"{part} of {whole} ({100 * part / whole:.1f}%)" if whole else "0"

    rows = [
        ("sentence pairs", checked.pairs),
        ("lines of links", checked.lines),
        ("links", checked.links),
        *([("possible links among them", checked.possible)] if checked.possible else []),
        ("linked source words", share(checked.linked_source, checked.source_words)),
        ("linked target words", share(checked.linked_target, checked.target_words)),
        ("non-empty pairs without links", share(checked.without_links, checked.pairs)),
        ("malformed links", checked.malformed),
        ("links out of range", checked.out_of_range),
        ("repeated links", checked.repeated),
    ]
    text = format_table("Links", ("", ""), rows)
    if checked.lines != checked.pairs:
        text += f"{pluralize(checked.lines, 'line')} of links for "
        text += f"{pluralize(checked.pairs, 'sentence pair')}\n"
    text += "".join(f"{problem}\n" for problem in checked.problems)
    more = checked.malformed + checked.out_of_range + checked.repeated - len(checked.problems)
    text += f"... and {more} more (--limit)\n" if more else ""
    return text + (f"{checked.hint}\n" if checked.hint else "")


COMMAND = Command(
    CheckOptions,
    run,
    (
        "isogloss check links.gz corpus.en.gz corpus.es.gz --limit 100",
        "isogloss check m",
    ),
    first={
        "input": ("lowercase", "format", "langs"),
        "output": ("limit", "json"),
        "running": ("quiet",),
    },
)
