"""The sample bitext: reproducible, well formed, and true to what it promises."""

from __future__ import annotations

import collections
import gzip
import pathlib

import pytest

from data import generate as sampledata
from data.generate import english as english_words
from data.generate import fragments, spanish_verbs
from data.generate import spanish as spanish_words
from data.generate.fragments import (
    Fragment,
    arrange,
    english,
    join,
    positions,
    spanish,
    spell,
    text,
    unit,
)
from data.generate.grammar import phrases, verbs
from data.generate.lexicon import DOMAINS, Choice, Compound, Entry
from data.generate.speaker import Nominal, Speaker

DATA = pathlib.Path(__file__).resolve().parents[3] / "data"


def lines(name: str) -> list[str]:
    raw = (DATA / name).read_bytes()
    return (gzip.decompress(raw) if name.endswith(".gz") else raw).decode("utf-8").splitlines()


def links(line: str) -> list[tuple[int, int, bool]]:
    out = []
    for item in line.split():
        i, sure, j = item.partition("-") if "-" in item else item.partition("p")
        out.append((int(i), int(j), sure == "-"))
    return out


@pytest.fixture(scope="module")
def train() -> list[tuple[str, list[str], list[str], list[tuple[int, int, bool]]]]:
    columns = [lines(f"train.{x}.gz") for x in ("domains", "en", "es", "en-es.gold")]
    return [(d, e.split(), s.split(), links(g)) for d, e, s, g in zip(*columns, strict=True)]


# ---------------------------------------------------------------- the committed files


@pytest.mark.thorough
def test_regenerating_gives_the_committed_files(tmp_path: pathlib.Path) -> None:
    sample = sampledata.generate()
    sampledata.write(sample, tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(p.name for p in DATA.iterdir() if p.is_file() and p.name != "README.md")
    for name in names:
        new, old = (tmp_path / name).read_bytes(), (DATA / name).read_bytes()
        if name.endswith(".gz"):
            # Builds of zlib may compress differently; header fields must not.
            assert new[3] == 0 and new[4:8] == b"\0\0\0\0"
            new, old = gzip.decompress(new), gzip.decompress(old)
        assert new == old, name
    phrases = [
        (" ".join(pair.en.split()[slice(*en)]), " ".join(pair.es.split()[slice(*es)]), label)
        for pair in sample.train
        for label, en, es in pair.spans
    ]
    assert ("carlos", "carlos", "name") in phrases
    assert ("the appeal court", "el juzgado de apelación", "noun-phrase") in phrases


def test_another_seed_says_other_things() -> None:
    first, other = sampledata.Dice(1), sampledata.Dice(2)
    assert [first.seed() for _ in range(3)] != [other.seed() for _ in range(3)]


def test_every_column_has_as_many_lines() -> None:
    for names, count in (
        ((f"train.{x}.gz" for x in ("en", "es", "domains", "labels", "en-es.gold")), 6000),
        ((f"tune.{x}" for x in ("en", "es.ref0", "es.ref1", "domains")), 200),
        ((f"test.{x}" for x in ("en", "es.ref0", "es.ref1", "domains")), 200),
    ):
        assert {len(lines(name)) for name in names} == {count}


def test_text_is_lowercase_and_single_blanked() -> None:
    for name in ("train.en.gz", "train.es.gz", "test.en", "test.es.ref0", "tune.es.ref1"):
        for line in lines(name):
            assert line == line.lower()
            assert line.split(" ") == line.split()
            assert line


def test_links_are_sorted_in_range_and_never_missing(train) -> None:
    for _, en, es, gold in train:
        assert gold == sorted(set(gold))
        assert len({(i, j) for i, j, _ in gold}) == len(gold)
        assert all(i < len(en) and j < len(es) for i, j, _ in gold)
        assert (len(en) - 1, len(es) - 1, True) in gold


def test_seeds_are_a_tenth_of_each_domain() -> None:
    domains, labels = lines("train.domains.gz"), lines("train.labels.gz")
    assert collections.Counter(domains) == dict.fromkeys(DOMAINS, 1500)
    assert all(label in ("-", domain) for label, domain in zip(labels, domains, strict=True))
    seeds = collections.Counter(label for label in labels if label != "-")
    assert seeds == dict.fromkeys(DOMAINS, 150)


def test_many_words_translate_differently_by_domain(train) -> None:
    translations: dict[str, dict[str, collections.Counter[str]]] = {}
    for domain, en, es, gold in train:
        for i, j, sure in gold:
            if sure:
                counts = translations.setdefault(en[i], {}).setdefault(
                    domain, collections.Counter()
                )
                counts[es[j]] += 1
    ambiguous = {
        word
        for word, domains in translations.items()
        # A common beginning may be another form of the same word.
        if len(
            {counts.most_common(1)[0][0][:4] for counts in domains.values() if counts.total() >= 5}
        )
        > 1
    }
    assert len(ambiguous) >= 100
    assert {
        "driver",
        "charge",
        "suit",
        "discharge",
        "cell",
        "party",
        "case",
        "court",
        "record",
        "file",
        "table",
        "trial",
        "key",
        "drug",
        "order",
        "bug",
    } <= ambiguous
    assert translations["driver"]["software"].most_common(1)[0][0] == "controlador"
    assert translations["driver"]["everyday"].most_common(1)[0][0] == "conductor"
    assert translations["discharge"]["medical"].most_common(1)[0][0] == "alta"


def test_text_has_rare_words_and_reordering(train) -> None:
    counts = collections.Counter(word for _, en, _, _ in train for word in en)
    assert sum(count == 1 for count in counts.values()) > 200
    crossing = sum(
        any(a < c and b > d for a, b, _ in gold for c, d, _ in gold) for *_, gold in train
    )
    assert crossing > 0.5 * len(train)
    assert 11 <= sum(len(en) for _, en, _, _ in train) / len(train) <= 14


@pytest.mark.parametrize("name", ["tune", "test"])
def test_held_out_sentences_are_new_but_reachable(name: str, train) -> None:
    seen = {" ".join(en) for _, en, _, _ in train}
    known: dict[str, set[str]] = {}
    for domain, en, _, _ in train:
        known.setdefault(domain, set()).update(en)
    sources, domains = lines(f"{name}.en"), lines(f"{name}.domains")
    assert not seen & set(sources)
    assert len(set(sources)) == 200
    assert collections.Counter(domains) == dict.fromkeys(DOMAINS, 50)
    tokens = [(d, w) for d, line in zip(domains, sources, strict=True) for w in line.split()]
    assert sum(word in known[domain] for domain, word in tokens) >= 0.95 * len(tokens)


def test_tune_and_test_do_not_overlap() -> None:
    assert not set(lines("tune.en")) & set(lines("test.en"))


@pytest.mark.parametrize("name", ["tune", "test"])
def test_references_mostly_differ(name: str) -> None:
    pairs = list(zip(lines(f"{name}.es.ref0"), lines(f"{name}.es.ref1"), strict=True))
    assert sum(a != b for a, b in pairs) > 0.7 * len(pairs)


# ---------------------------------------------------------------- links of known sentences


def links_of(pair: Fragment) -> str:
    pair = spell(pair)
    return " ".join(
        f"{pair.en[i].text}{'-' if sure else '~'}{pair.es[j].text}"
        for i, j, sure in positions(pair)
    )


def entry(speaker: Speaker, kind: str, en: str) -> Entry:
    return next(e for e in speaker.lexicon[kind] if e.en == en)


def test_contraction_keeps_the_links_of_both_words() -> None:
    pair = join(unit("of", "de"), unit("the", "el"), unit("court", "tribunal"))
    assert text(spell(pair).es) == "del tribunal"
    assert links_of(pair) == "of-del the-del court-tribunal"


def test_compound_is_turned_round() -> None:
    speaker = Speaker("legal", 1, 1)
    order = Entry("order", (Choice("orden", "f"),))
    speaker.choose = lambda entry: entry.choices[0]  # type: ignore[method-assign]
    head = phrases.compound(speaker, Compound("court", "order", "del"), order, plural=False)
    assert text(head.words.en) == "court order"
    assert text(spell(head.words).es) == "orden del tribunal"
    assert links_of(head.words) == "court~del court-tribunal order-orden"


def test_do_support_and_future() -> None:
    speaker = Speaker("medical", 1, 1)
    verb = Entry("treat", (Choice("tratar"),))
    who = Nominal(unit("they", "ellos"), plural=True)
    group = verbs.finite(speaker, verb, who, "present", negated=True)
    said = arrange([group.helper, group.negation, group.main], group.spanish_order())
    assert text(said.es) == "no tratan"
    assert links_of(said) == "do~tratan not-no treat-tratan"
    group = verbs.finite(speaker, verb, who, "will")
    assert links_of(arrange([group.helper, group.main], group.spanish_order())) == (
        "will-tratarán treat-tratarán"
    )


def test_pronoun_before_and_after_the_verb() -> None:
    speaker = Speaker("everyday", 1, 1)
    who = Nominal(unit("she", "ella"))
    group = verbs.finite(speaker, Entry("see", (Choice("ver"),)), who, "past")
    group, it = verbs.with_object_pronoun(speaker, group, "it", feminine=False)
    pair = arrange([who.words, group.main, it], group.spanish_order())
    assert text(pair.es) == "lo vio"
    assert links_of(pair) == "saw-vio it-lo"
    assert spanish_verbs.with_pronoun("seleccione", "lo") == "selecciónelo"
    assert spanish_verbs.with_pronoun("abrir", "las") == "abrirlas"


def test_adverb_does_not_part_verb_and_preposition() -> None:
    speaker = Speaker("legal", 1, 1)
    group = verbs.finite(
        speaker, Entry("hear", (Choice("conocer de"),)), Nominal(unit("it", "él")), "past"
    )
    often = unit("often", "a menudo")
    pair = phrases.assemble(
        Nominal(unit("it", "él")),
        group,
        (fragments.EMPTY, often, fragments.EMPTY),
        unit("cases", "causas"),
    )
    assert text(pair.en) == "it often heard cases"
    assert text(pair.es) == "él conoció de causas a menudo"


def test_idioms_link_function_words_only_as_possible() -> None:
    assert links_of(unit("give up", "renunciar")) == "give-renunciar up~renunciar"
    assert links_of(unit("database", "base de datos")) == (
        "database-base database~de database-datos"
    )
    assert links_of(unit("hard drive", "disco duro", "0-1,1-0")) == "hard-duro drive-disco"


def test_unsaid_words_stay_unlinked() -> None:
    pair = join(
        fragments.only_english(unit("she", "ella")),
        unit("knows", "conoce"),
        spanish("a"),
        unit("ana", "ana"),
        english("."),
    )
    assert text(spell(pair).es) == "conoce a ana"
    assert links_of(pair) == "knows-conoce ana-ana"


@pytest.mark.parametrize("domain", DOMAINS)
def test_style_never_shows_in_english(domain: str) -> None:
    for meaning in range(150):
        said = {text(sampledata.sentence(Speaker(domain, meaning, s)).en) for s in range(4)}
        assert len(said) == 1


@pytest.mark.parametrize(
    ("verb", "form", "person", "expected"),
    [
        ("cerrar", "pres", "3s", "cierra"),
        ("pedir", "pret", "3p", "pidieron"),
        ("obtener", "fut", "3s", "obtendrá"),
        ("concluir", "pret", "3s", "concluyó"),
        ("elegir", "sub", "3s", "elija"),
        ("cargar", "sub", "3s", "cargue"),
        ("devolver", "part", "3s", "devuelto"),
        ("introducir", "sub", "3s", "introduzca"),
        ("ser", "imperf", "3p", "eran"),
        ("leer", "pret", "3p", "leyeron"),
    ],
)
def test_conjugation(verb: str, form: str, person: str, expected: str) -> None:
    assert spanish_verbs.conjugate(verb, form, person) == expected


def test_agreement() -> None:
    assert spanish_words.spanish_plural("orden") == "órdenes"
    assert spanish_words.spanish_plural("base de datos") == "bases de datos"
    assert spanish_words.spanish_plural("disco duro") == "discos duros"
    assert spanish_words.spanish_adjective("bueno", "m", False, before=True) == "buen"
    assert spanish_words.spanish_adjective("jurídico", "f", True) == "jurídicas"
    assert spanish_words.spanish_adjective("menor", "f", False) == "menor"
    assert text(spell(join(unit("the", "la"), unit("discharge", "alta"))).es) == "el alta"
    assert english_words.english_verb("carry out", "s") == "carries out"
    assert english_words.article("hour") == "an" and english_words.article("user") == "a"


def test_phrases_are_the_same_words_on_both_sides() -> None:
    named = fragments.marked_phrase(unit("the house", "la casa"), "noun-phrase")
    pair = spell(join(unit("of", "de"), named, unit(".", ".")))
    assert fragments.spans(pair) == [("noun-phrase", (1, 3), (1, 3))]
    merged = fragments.marked_phrase(unit("the judge", "el juez"), "noun-phrase")
    assert fragments.spans(spell(join(unit("of", "de"), merged))) == [
        ("noun-phrase", (1, 3), (0, 2))  # del juez
    ]
    gone = fragments.replace_spanish(pair, pair.es[:-2], {})
    assert fragments.spans(gone) == []
    apart = arrange(en=[named, unit("x", "y")], es=[unit("z", "w"), named])
    assert fragments.spans(apart) == [("noun-phrase", (0, 2), (1, 3))]
