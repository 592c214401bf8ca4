"""Texts that break careless code, for Hypothesis."""

from hypothesis import strategies as st

# blanks of all kinds, case that changes length or depends on the place, marks, four-byte letters
LETTERS = (
    "ab ab  AB\t\n\x1c\x85\xa0\u1680\u2003\u2028\u205f\u3000.,!'(-ñßİΣςσ中文字กำ\u0301👍𝔘\u200b"
)

texts = st.text(st.sampled_from(LETTERS), max_size=24) | st.lists(
    st.sampled_from(["a", "b", "c", "the", "the", "café", "中", "."]), max_size=14
).map(" ".join)
sentences = st.tuples(
    st.lists(texts, min_size=1, max_size=3), st.lists(texts, min_size=1, max_size=3)
)
corpora = st.lists(sentences, min_size=1, max_size=3)  # (hypotheses, references) of each sentence
