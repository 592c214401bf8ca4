"""Token styles, spans and remapped links, by hand; see tests/property for any text."""

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.links.links import Links, parse_links
from isogloss.align.text.retokenization.retokenize import (
    Tokenizations,
    parse_scores,
    remap_links,
    retokenize_lines,
    score_value,
)
from isogloss.align.text.retokenization.token_maps import Folding, map_tokens
from isogloss.align.text.retokenization.token_styles import (
    detect_style,
    open_style,
    token_spans,
    token_texts,
)


def carry(links, old, new, target=None, **options):
    """Links of one sentence, its source tokenized anew; styles are found in the tokens."""
    styles = tuple(detect_style([tokens]) for tokens in (old.split(), new.split()))
    source = Tokenizations([old.split()], [new.split()], styles, ("old", "new"), Folding(**options))
    return "".join(retokenize_lines([links], source, target, "links"))


@pytest.mark.parametrize(
    ("tokens", "style", "expected"),
    [
        ("the house", "plain", ["the", "house"]),
        ("a\u00a0b c\u3000", "plain", ["ab", "c"]),
        ("▁the ▁hou se ▁", "sentencepiece", ["the", "hou", "se", ""]),
        ("▁ <0xE4> <0xBD> <0xA0> x", "sentencepiece", ["", "", "", "你", "x"]),
        ("<0xE4> x <0xC3> <0xA9>", "sentencepiece", ["", "x", "", "é"]),
        ("hou@@ se @@ x@@", "bpe", ["hou", "se", "@@", "x"]),
        ("##a hou ##se ## x", "wordpiece", ["##a", "hou", "se", "##", "x"]),
        ("né 👍🏽 e\u0301", "characters", ["n", "é", "👍", "🏽", "e", "\u0301"]),
        ("", "plain", []),
    ],
)
def test_what_tokens_add_to_the_text(tokens: str, style: str, expected: list[str]) -> None:
    assert expected == token_texts(tokens.split(" ") if tokens else [], style)


def test_an_unknown_style() -> None:
    with pytest.raises(ValueError, match="style 'spm'; expected one of plain, sentencepiece"):
        token_texts(["a"], "spm")


def test_spans_are_in_code_points_and_never_empty() -> None:
    text, spans = token_spans(["▁", "▁né", "e", "▁"], "sentencepiece")
    assert text == "née"
    assert spans.dtype == np.int64
    assert [[0, 1], [0, 2], [2, 3], [2, 3]] == spans.tolist()
    assert [[0, 0]] == token_spans(["▁"], "sentencepiece")[1].tolist()
    assert token_spans([])[1].shape == (0, 2)


@pytest.mark.parametrize(
    ("lines", "style"),
    [
        (["▁the ▁hou se", "x"], "sentencepiece"),
        (["the hou@@ se", "x"], "bpe"),
        (["the hou ##se", "x"], "wordpiece"),
        (["the house", "## a heading", "mail me@@ now"] + ["plain"] * 40, "plain"),
        (["## title", "a @@ b"], "plain"),
        ([], "plain"),
    ],
)
def test_style_is_told_by_its_markers(lines: list[str], style: str) -> None:
    tokens = [line.split() for line in lines]
    assert detect_style(tokens) == style
    found, sentences = open_style(tokens)
    assert found == style
    assert tokens == list(sentences)
    assert open_style(tokens, "plain")[0] == "plain"


def test_a_word_link_goes_to_all_pairs_of_pieces() -> None:
    target = Tokenizations([["casa", "s"]], [["ca@@", "sa", "s"]], ("plain", "bpe"))
    assert carry("1-0 0-1", "the house", "the hou@@ s@@ e", target) == (
        "0-2 1-0 1-1 2-0 2-1 3-0 3-1"
    )


def test_words_are_linked_where_any_of_their_pieces_are() -> None:
    assert carry("1-0 3-2 4-2", "the hou@@ s@@ e .", "the house .") == "1-0 1-2 2-2"


def test_neither_tokenization_need_be_finer() -> None:
    assert carry("0-0 1-1 2-2", "ab cd e", "a bcd e") == "0-0 1-0 1-1 2-2"


def test_a_lone_marker_belongs_to_the_word_behind_it() -> None:
    assert carry("0-3 1-4", "the house", "▁the ▁ house") == "0-3 1-4 2-4"
    assert carry("1-4 0-3", "▁the ▁ house", "the house") == "0-3 1-4"
    assert carry("0-0 2-1", "▁the ▁ ▁", "the") == "0-0 0-1"


def test_the_bytes_of_a_character_share_it() -> None:
    assert carry("0-0 1-1", "你 好", "▁ <0xE4> <0xBD> <0xA0> 好") == "0-0 1-0 2-0 3-0 4-1"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("it 's", "it &apos;s", "0-0 1-1"),
        ("it 's", "it &@@ apos@@ ;@@ s", "0-0 1-1 2-1 3-1 4-1"),
        ("a - b", "a @-@ b", "0-0 1-1"),
        ("[ | ] &", "&#91; &#124; &#93; &amp;", "0-0 1-1"),
        ("&apos; x", "&ap@@ os; x", "0-0 1-0 2-1"),  # escaped on both sides: as it stands
        ("ﬁne x", "fin e x", "0-0 1-0 2-1"),
        ("ｗide x", "wide x", "0-0 1-1"),
        ("cafe\u0301 x", "ca fé x", "0-0 1-0 2-1"),
        ("e\u0323\u0302 x", "e\u0302\u0323 x", "0-0 1-1"),
        ("각 x", "\u1100\u1161\u11a8 x", "0-0 1-1"),
        ("a\u200bb x", "ab x", "0-0 1-1"),
    ],
)
def test_escapes_and_compatibility_forms_are_no_difference(
    old: str, new: str, expected: str
) -> None:
    assert carry("0-0 1-1", old, new) == expected


def test_case_and_accents_on_demand() -> None:
    assert carry("0-0", "Straße", "stra ##sse", case=True) == "0-0 1-0"
    assert carry("0-0", "Élan", "el ##an", case=True, accents=True) == "0-0 1-0"
    with pytest.raises(
        DataError,
        match=r"new, line 1: the texts differ at character 1 \(not counting spaces\), 'elan'; "
        r"expected 'Élan' as in old\. The texts differ only in case and accents: pass",
    ):
        carry("0-0", "E\u0301lan", "elan")
    with pytest.raises(DataError, match="The texts differ only in case: pass --ignore-case"):
        carry("0-0", "The", "the")


def test_different_text() -> None:
    with pytest.raises(
        DataError,
        match=r"new, line 1: the texts differ at character 9 \(not counting spaces\), "
        r"'thehousex'; expected 'thehouse' as in old\. Both files must tokenize the same text\. "
        r"They were read as plain and plain; STYLE:FILE selects another of plain, sentencep",
    ):
        carry("0-0", "the house", "the housex")


def test_characters_of_either_side_need_no_file() -> None:
    to_characters = Tokenizations([["né", "e"]], None, ("plain", "characters"))
    assert list(retokenize_lines(["0-0 1-1"], to_characters, None)) == ["0-0 1-0 2-1"]
    to_words = Tokenizations(None, [["ne", "e"], []], ("characters", "plain"))
    assert list(retokenize_lines(["0-0 1-0 2-1", ""], None, to_words)) == ["0-0 1-0 2-0", ""]
    with pytest.raises(ValueError, match="at least one of the two tokenizations is required"):
        map_tokens(None, None)


def test_scores_keep_the_highest() -> None:
    assert carry("1-0:0.5 2-0:0.75 0-0 3-0:0.1", "the hou@@ s@@ e", "the house") == "0-0 1-0:0.75"
    assert carry("0-0:.5:0.9 1-0:-3e-1", "ab c", "abc") == "0-0:.5:0.9"
    assert carry("0-0 0-0:0.3 0-0:0.2", "ab", "a@@ b") == "0-0:0.3 1-0:0.3"
    assert score_value("") == float("-inf")


@pytest.mark.parametrize("score", ["x", "nan", "1,5"])
def test_a_score_that_is_no_number(score: str) -> None:
    lines = ["0-0", f"1-1:{score}"]
    with pytest.raises(
        DataError,
        match=rf"f, line 2: the score of '1-1:{score}' is invalid; expected a number after the "
        r"colon, as in 3-4:0.87\. Remove the scores or use numbers",
    ):
        parse_scores(lines, parse_links(lines), "f")


def test_an_empty_line_stays_one() -> None:
    source = Tokenizations([[], ["a"]], [[], ["a"]])
    assert list(retokenize_lines(["", ""], source, None)) == ["", ""]


def sides(old: int, new: int) -> Tokenizations:
    return Tokenizations([["a"]] * old, [["a"]] * new, files=("old", "new"))


@pytest.mark.parametrize(
    ("lines", "old", "new", "message"),
    [
        (3, 2, 2, r"old, line 3: the text ends before this line; expected one line of links per"),
        (2, 3, 3, r"old, line 3: the links end before this line; expected one line of links per"),
        (3, 3, 2, "new, line 3: the file ends before this line of old"),
        (3, 2, 3, "old, line 3: the file ends before this line of new"),
    ],
)
def test_files_of_different_length(lines: int, old: int, new: int, message: str) -> None:
    with pytest.raises(DataError, match=message):
        list(retokenize_lines(["0-0"] * lines, sides(old, new), None, "links"))


def test_places_are_right_beyond_the_first_block() -> None:
    number = 4096 + 7
    good = ["0-0"] * (number - 1)
    with pytest.raises(DataError, match=rf"links, line {number}: '0-'"):
        list(retokenize_lines([*good, "0-"], sides(number, number), None, "links"))
    with pytest.raises(DataError, match=rf"links, line {number}: the score of '0-0:x' is invalid;"):
        list(retokenize_lines([*good, "0-0:x"], sides(number, number), None, "links"))
    with pytest.raises(
        DataError,
        match=rf"old, line {number}: link 1-0 is out of range: the source sentence has 1 token\. "
        r"Check whether the sides or the two tokenizations are",
    ):
        list(retokenize_lines([*good, "1-0"], sides(number, number), None, "links"))
    with pytest.raises(DataError, match=rf"new, line {number}: the file ends"):
        list(retokenize_lines([*good, "0-0"], sides(number, number - 1), None, "links"))
    assert [*good, ""] == list(retokenize_lines([*good, ""], sides(number, number), None))


def test_old_and_new_exchanged() -> None:
    words, pieces = [["cats", "."]] * 30, [["c", "at", "s", "."]] * 30
    right = retokenize_lines(["1-0 3-1"] * 30, Tokenizations(pieces, words), None)
    assert list(right) == ["0-0 1-1"] * 30
    told = "link 3-1 is out of range: the source sentence has 2 tokens"
    with pytest.raises(DataError, match=told):
        list(retokenize_lines(["1-0 3-1"] * 30, Tokenizations(words, pieces), None))
    with pytest.raises(DataError, match=r"link .* tokens"):
        list(retokenize_lines(["1-0 2-1"] * 30, Tokenizations(words, pieces), None))
    files = ("pieces", "words")
    told = "pieces: no link is at the last tokens of a sentence, so FROM and TO of --target FROM,TO"
    with pytest.warns(DataWarning, match=told):
        list(retokenize_lines(["0-0 1-1"] * 30, None, Tokenizations(pieces, words, files=files)))


def test_the_target_side_is_named() -> None:
    with pytest.raises(
        DataError, match="link 0-1 is out of range: the target sentence has 1 token"
    ):
        list(retokenize_lines(["0-1"], None, sides(1, 1)))


def test_remapped_links_know_their_origin() -> None:
    links = Links.from_pairs([[(0, 0), (1, 0)], [(0, 0)]])
    tokens = map_tokens([["a", "b"], ["c"]], [["ab"], ["c"]])
    assert [0, 0, 0] == tokens.first.tolist()
    assert [1, 1, 1] == tokens.count.tolist()
    moved, origin = remap_links(links, tokens, None, np.array([0.1, 0.7, 0.3]))
    assert [moved[0], moved[1]] == [[(0, 0)], [(0, 0)]]
    assert [1, 2] == origin.tolist()
    assert [0, 2] == remap_links(links, tokens, None)[1].tolist()
    sure = Links(links.source, links.target, links.offsets, np.array([0.1, 0.7, 0.3], np.float32))
    moved, origin = remap_links(sure, tokens, None)
    assert [1, 2] == origin.tolist()
    assert np.array([0.7, 0.3], np.float32).tolist() == moved.probability.tolist()
