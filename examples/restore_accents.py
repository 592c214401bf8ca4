"""Rerank for a task other than translation: restore the accents of a text.

The script reads one text file per domain. It learns which accented forms each word can have
(`esta`: esta, está, ésta) and one language model per domain. For each line of another text, it
writes an n-best list of restorations with these features:

    forms       log probability of the forms, word by word; sorts the list
    lm.NAME     log probability under the language model of a domain
    accents     number of words with accents
    F_esta~está sparse feature for each form of a word with several forms

Two columns can serve as metrics: the share of correct words, and whether all words are correct. The
lists are JSON Lines, with the original text as reference.

    python examples/restore_accents.py --train news=news.es law=law.es --text dev.es -o dev.jsonl
    isogloss tune dev.jsonl --metric wer --optimizer adagrad-pro -o weights.json
    isogloss rerank test.jsonl --weights weights.json -o restored.es
"""

import argparse
import heapq
import json
import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from isogloss.align.files.writers import write_lines
from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.language_model.scoring import LanguageModel
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.readers import read_sentences
from isogloss.features.space import escape

LEAST_SHARE = 0.001  # rarer forms of a word are treated as typing errors
Forms = Mapping[str, Sequence[tuple[str, float]]]


def without_accents(word: str) -> str:
    """The word with its diacritics removed."""
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize(
        "NFC", "".join(part for part in parts if not unicodedata.combining(part))
    )


def learn_forms(texts: Iterable[Sequence[Sequence[str]]]) -> Forms:
    """Forms of each word without accents with their log probability, the likeliest first."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for words in text:
            for word in words:
                counts[without_accents(word)][word] += 1
    forms = {}
    for plain, own in counts.items():
        total = own.total()
        kept = [(form, count) for form, count in own.items() if count >= LEAST_SHARE * total]
        kept.sort(key=lambda entry: (-entry[1], entry[0]))
        forms[plain] = [(form, math.log(count / total)) for form, count in kept]
    return forms


def restorations(
    words: Sequence[str], forms: Forms, size: int
) -> Iterator[tuple[float, list[str]]]:
    """The likeliest restorations, best first: a heap of ranks, one rank raised at a time."""
    choices = [forms.get(word, [(word, 0.0)]) for word in words]
    first = (0,) * len(words)
    heap = [(-sum(own[0][1] for own in choices), first)]
    seen = {first}
    for _ in range(size):
        if not heap:
            return
        cost, ranks = heapq.heappop(heap)
        yield -cost, [own[rank][0] for own, rank in zip(choices, ranks, strict=True)]
        for place, (own, rank) in enumerate(zip(choices, ranks, strict=True)):
            after = (*ranks[:place], rank + 1, *ranks[place + 1 :])
            if rank + 1 < len(own) and after not in seen:
                seen.add(after)
                heapq.heappush(heap, (cost + own[rank][1] - own[rank + 1][1], after))


def hypothesis(
    words: Sequence[str], score: float, forms: Forms, truth: Sequence[str]
) -> tuple[str, dict[str, float], dict[str, float]]:
    """Text, features (without those of language models) and metrics."""
    features = {
        "forms": round(score, 4),
        "accents": float(sum(w != without_accents(w) for w in words)),
    }
    for word in words:
        plain = without_accents(word)
        if len(forms.get(plain, ())) > 1:
            name = f"F_{escape(plain)}~{escape(word)}"
            features[name] = features.get(name, 0.0) + 1.0
    right = sum(one == other for one, other in zip(words, truth, strict=True))
    metrics = {
        "accuracy": round(right / max(len(truth), 1), 4),
        "exact": float(list(words) == list(truth)),
    }
    return " ".join(words), features, metrics


def main() -> None:
    """Read text, learn, write lists."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", metavar="NAME=FILE", nargs="+", required=True)
    parser.add_argument("--text", metavar="FILE", required=True, help="text with its accents")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="lists, .jsonl")
    parser.add_argument("--size", type=int, default=50, help="hypotheses of a line")
    options = parser.parse_args()
    train = {
        name: read_sentences(file, lowercase=True)
        for name, _, file in (entry.partition("=") for entry in options.train)
    }
    forms = learn_forms(train.values())
    models = {
        f"lm.{name}": LanguageModel.from_ngrams(
            estimate_language_model(Corpus.from_sentences(text), 3)
        )
        for name, text in train.items()
    }
    lines = []
    for number, truth in enumerate(read_sentences(options.text, lowercase=True)):
        plain = [without_accents(word) for word in truth]
        own = [
            hypothesis(words, score, forms, truth)
            for score, words in restorations(plain, forms, options.size)
        ]
        for name, model in models.items():
            for (_, features, _), value in zip(
                own, model.score_lines([text for text, _, _ in own]).tolist(), strict=True
            ):
                features[name] = round(value, 4)
        hyps = [{"text": text, "features": f, "metrics": m} for text, f, m in own]
        entry = {"id": number, "src": " ".join(plain), "refs": [" ".join(truth)], "hyps": hyps}
        lines.append(json.dumps(entry, ensure_ascii=False))
    write_lines(lines, options.output)


if __name__ == "__main__":
    main()
