"""State templates, and features of derivations."""

from collections.abc import Iterator

from isogloss.features.templates.apply import (
    Application,
    DerivationFeatures,
    Rule,
    feature_name,
    parse_templates,
)
from tests.unit.features.templates.test_apply import classes_of


def test_reordering_by_hand() -> None:
    first, second, third = (Rule((word,), (word.upper(),)) for word in "abc")
    swapped = DerivationFeatures(parse_templates(["lo"]))(
        [Application(first, 0), Application(second, 2), Application(third, 1)]
    )
    assert swapped == {
        "LO_monotone-previous_a_A": 1.0,
        "LO_discontinuous-previous_b_B": 1.0,
        "LO_nonmonotone-previous_b_B": 1.0,
        "LO_discontinuous-next_a_A": 1.0,
        "LO_nonmonotone-next_a_A": 1.0,
        "LO_swap-previous_c_C": 1.0,
        "LO_nonmonotone-previous_c_C": 1.0,
        "LO_swap-next_b_B": 1.0,
        "LO_nonmonotone-next_b_B": 1.0,
    }


def test_parts_and_variants_of_reordering() -> None:
    long = Rule(("a", "b"), ("A",), (), 2.0, "law")
    rare = Rule(("c",), ("C",), (), 1.0)
    steps = [Application(long, 0), Application(rare, 2)]

    def found(spec: str, **options: object) -> list[str]:
        return list(
            DerivationFeatures(parse_templates([spec], **options))(steps)  # type: ignore[arg-type]
        )

    assert found("lo:next") == ["LO_monotone-next_a~b_A"]
    assert found("lo:previous") == ["LO_monotone-previous_a~b_A", "LO_monotone-previous_c_C"]
    assert found("lo:min=2") == ["LO_monotone-previous_a~b_A", "LO_monotone-next_a~b_A"]
    assert found("lo:previous:domain") == ["LO@law_monotone-previous_a~b_A"]
    classes = {"source": classes_of(a=0, b=1, c=0), "target": classes_of(A=4)}
    assert found("lo:previous:classes=both", classes=classes) == [
        "LO.classes_monotone-previous_2~3_6",
        "LO.classes_monotone-previous_2_UNK",
    ]
    frequencies = {"source": {"a": 1.0}, "target": {"A": 9.0, "C": 9.0}}
    assert found("lo:next:unk=1", frequencies=frequencies) == ["LO_monotone-next_a~UNK_A"]


def test_a_sentence_that_begins_elsewhere_is_discontinuous() -> None:
    found = DerivationFeatures(parse_templates(["lo"]))([Application(Rule(("b",), ("B",)), 1)])
    assert {"LO_discontinuous-previous_b_B": 1.0, "LO_nonmonotone-previous_b_B": 1.0} == found


def test_derivations_sum_and_look_each_rule_up_once() -> None:
    class Watched:
        calls = 0

        def rule_features(self, rule: Rule) -> Iterator[str]:
            self.calls += 1
            yield feature_name("Seen", rule.source)

    watched = Watched()
    score = DerivationFeatures([watched, *parse_templates(["length:source"])])
    again = [Application(Rule(("a",), ("A",)), place) for place in range(3)]
    assert {"Seen_a": 3.0, "SourceLength_1": 3.0} == score(again)
    assert {"Seen_a": 1.0, "SourceLength_1": 1.0} == score(again[:1])
    assert watched.calls == 1
    assert {} == score([])
