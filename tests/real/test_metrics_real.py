"""BLEU, TER and chrF of every list of the real data, against sacrebleu."""

from pathlib import Path

import numpy as np
import pytest
import sacrebleu

from isogloss.align.files.text_io import iter_lines, read_lines, split_fields
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.nbest.types import NBest, read_nbest
from isogloss.tune.references import References, read_references
from tests.naive.lists import lists_of
from tests.tiers import sampled

LISTS = {  # references: file names, in lower case or as they stand
    "nbest/europarl-into-en.100best.gz": ["europarl-into-en.ref.gz"],
    **{f"nbest/europarl-10sent.iter{k}.nbest.gz": ["europarl-10sent.ref.gz"] for k in range(1, 6)},
    **{
        f"nbest/weather-it-en.iter{k:02}.nbest.gz": [f"weather-it-en.ref{r}.gz" for r in range(3)]
        for k in range(1, 15)
    },
    **{
        f"nbest-es-en/{name}.best{size}.gz": [f"tune.en.{r}" for r in range(4)]
        for name, size in [
            *((f"run{k}", 100) for k in range(1, 6)),
            ("default-stack100", 200),
            ("sparse-default", 100),
        ]
    },
    "nbest-de-en/default.best100.gz": ["tune.en.0"],
}
SENTENCES = 10  # of a list, spread over it
THEIRS = {
    "bleu": sacrebleu.BLEU(tokenize="none", force=True),
    "ter": sacrebleu.TER(),
    "chrf": sacrebleu.CHRF(),
    "chrf++": sacrebleu.CHRF(word_order=2),
}


def read(folder: Path, name: str) -> tuple[NBest, References]:
    """Lists and references of some sentences, in lower case."""
    parent = (folder / name).parent
    sides = [read_lines(parent / file) for file in LISTS[name]]
    chosen = sorted({round(k) for k in np.linspace(0, len(sides[0]) - 1, SENTENCES)})
    hypotheses: dict[str, list[str]] = {str(k): [] for k in chosen}
    for line in iter_lines(folder / name):
        number = line[: line.index(" ")]
        if number in hypotheses:
            hypotheses[number].append(split_fields(line)[1].lower())
    texts = [[side[k].lower() for side in sides] for k in chosen if hypotheses[str(k)]]
    return lists_of(
        [texts_of_sentence for texts_of_sentence in hypotheses.values() if texts_of_sentence]
    ), References.from_texts(texts)


def test_no_list_is_left_out(shared_data: Path) -> None:
    folders = [shared_data / name for name in ("nbest", "nbest-es-en", "nbest-de-en")]
    names = {
        f"{path.parent.name}/{path.name}" for parent in folders for path in parent.glob("*best*.gz")
    }
    assert set(LISTS) == names


@pytest.mark.parametrize("name", sampled(LISTS, 9))
def test_our_statistics_agree_with_sacrebleu(shared_data: Path, name: str) -> None:
    lists, references = read(shared_data, name)
    streams = references.streams()
    rng = np.random.default_rng(1)
    first, counts = lists.sentence_offsets[:-1], np.diff(lists.sentence_offsets)
    for kind, theirs in THEIRS.items():
        metric = metric_named(kind)
        statistics = metric.statistics(lists, references)
        gains = metric.gains(statistics)
        oracle = first + [
            int(np.argmax(gains[b : b + n])) for b, n in zip(first, counts, strict=True)
        ]
        scores = []
        for chosen in (first, first + rng.integers(counts), oracle):
            texts = [lists.texts[k] for k in chosen.tolist()]
            score = float(metric.score(statistics[chosen].sum(0)))
            assert theirs.corpus_score(texts, streams).score == pytest.approx(score, abs=1e-6)
            scores.append(metric.sign * score)
        assert scores[2] > max(scores[:2])


@pytest.mark.parametrize("name", sampled(LISTS, 9))
def test_all_sentences_agree_with_sacrebleu(shared_data: Path, name: str) -> None:
    """Their first and their last hypotheses, as they stand."""
    references = read_references([(shared_data / name).parent / file for file in LISTS[name]])
    lists = read_nbest([shared_data / name], len(references))
    filled = np.flatnonzero(np.diff(lists.sentence_offsets))
    selected, streams = references.select(filled), references.select(filled).streams()
    first, last = lists.sentence_offsets[filled], lists.sentence_offsets[filled + 1] - 1
    for kind, chosen in (("bleu", first), ("bleu", last), ("chrf", first)):
        texts, metric = [lists.texts[k] for k in chosen.tolist()], metric_named(kind)
        statistics = metric.statistics(lists_of([[text] for text in texts]), selected)
        expected = THEIRS[kind].corpus_score(texts, streams).score
        assert expected == pytest.approx(float(metric.score(statistics.sum(0))), abs=1e-6)
