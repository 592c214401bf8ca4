"""Links of any text in any two tokenizations, against sets; and back again."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.links.links import Links, format_links
from isogloss.align.text.retokenization.retokenize import (
    Tokenizations,
    remap_links,
    retokenize_lines,
)
from isogloss.align.text.retokenization.token_maps import map_tokens
from isogloss.align.text.retokenization.token_styles import token_texts
from tests.naive import retokenize as naive

# any script, with marks that combine; no blanks, and no marker of a style
letters = st.characters(
    exclude_categories=("Cs", "Cc", "Cf", "Zs", "Zl", "Zp"), exclude_characters="▁@#<&"
)
words = st.lists(st.text(letters, min_size=1, max_size=6), min_size=1, max_size=6)


@st.composite
def segmentations(draw: st.DrawFn, text: str) -> list[str]:
    cuts = sorted(draw(st.sets(st.integers(1, max(len(text) - 1, 1)), max_size=8)))
    bounds = [0, *(cut for cut in cuts if cut < len(text)), len(text)]
    return [text[begin:end] for begin, end in pairwise(bounds) if begin < end]


@st.composite
def pieces(draw: st.DrawFn, tokens: list[str], style: str) -> list[str]:
    """The words cut into subwords, with the markers of the style."""
    result = []
    for word in tokens:
        parts = draw(segmentations(word))
        if style == "bpe":
            result += [f"{part}@@" for part in parts[:-1]] + parts[-1:]
        elif style == "wordpiece":
            result += parts[:1] + [f"##{part}" for part in parts[1:]]
        else:
            lone = draw(st.booleans())
            result += ["▁", *parts] if lone else [f"▁{parts[0]}", *parts[1:]]
    return result


@st.composite
def link_sets(draw: st.DrawFn, source: int, target: int) -> dict[tuple[int, int], float]:
    link = st.tuples(st.integers(0, source - 1), st.integers(0, target - 1))
    return draw(st.dictionaries(link, st.sampled_from([0.1, 0.2, 0.5, 0.9]), max_size=8))


def format_scores(links: dict[tuple[int, int], float]) -> str:
    return " ".join(f"{s}-{t}:{score}" for (s, t), score in sorted(links.items()))


@given(st.data(), words, words)
def test_any_two_tokenizations_against_sets(
    data: st.DataObject, source: list[str], target: list[str]
) -> None:
    new = [data.draw(segmentations("".join(side))) for side in (source, target)]
    links = data.draw(link_sets(len(source), len(target)))
    expected = naive.remap(links, (source, new[0]), (target, new[1]))
    sides = [
        Tokenizations([side, side], [other, other])
        for side, other in zip((source, target), new, strict=True)
    ]
    lines = list(retokenize_lines([format_scores(links)] * 2, sides[0], sides[1]))
    assert [format_scores(expected)] * 2 == lines


@given(st.data(), words, words, st.sampled_from(["bpe", "wordpiece", "sentencepiece"]))
def test_words_to_subwords_and_back_is_the_identity(
    data: st.DataObject, source: list[str], target: list[str], style: str
) -> None:
    subwords = [data.draw(pieces(side, style)) for side in (source, target)]
    line = format_scores(data.draw(link_sets(len(source), len(target))))

    def carry(line: str, back: bool) -> str:
        sides = [
            Tokenizations([new], [old], (style, "plain"))
            if back
            else Tokenizations([old], [new], ("plain", style))
            for old, new in zip((source, target), subwords, strict=True)
        ]
        return "".join(retokenize_lines([line], sides[0], sides[1]))

    assert line == carry(carry(line, back=False), back=True)


@given(st.data(), words)
def test_words_to_characters_and_back_is_the_identity(
    data: st.DataObject, source: list[str]
) -> None:
    links = Links.from_pairs([data.draw(link_sets(len(source), 3))])
    there = map_tokens([source], None, styles=("plain", "characters"))
    back = map_tokens(None, [source], styles=("characters", "plain"))
    assert len("".join(source)) == there.count.sum()
    assert list(format_links(links)) == list(
        format_links(remap_links(remap_links(links, there, None)[0], back, None)[0])
    )


@given(st.lists(st.text(max_size=5), max_size=6), st.sampled_from(["plain", "bpe", "wordpiece"]))
def test_text_of_tokens_has_no_blanks(tokens: list[str], style: str) -> None:
    texts = token_texts(tokens, style)
    assert len(texts) == len(tokens)
    assert "".join("".join(texts).split()) == "".join(texts)
