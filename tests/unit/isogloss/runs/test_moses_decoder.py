"""A moses.ini as the settings of our decoder: what is read, what is refused, what is left aside."""

import math
import os
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.runs.decoder_config import ModelFile
from isogloss.runs.moses_decoder import MosesDecoder, read_moses_decoder
from isogloss.runs.output_files import HypergraphFiles, NBestFile
from isogloss.tune.decoder.model import DecoderSettings

INI = """\
# made by hand
[input-factors]
0

[mapping]
0 T 0

[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TM num-features=4 path=table table-limit=7 input-factor=0
LexicalReordering name=hier num-features=8 type=hier-mslr-bidirectional-fe-allff path=order
LexicalReordering num-features=1 type=msd-backward-f-collapseff path=order.gz
Distortion
KENLM name=LM factor=0 path=lm order=3 lazyken=0

[weight]
UnknownWordPenalty0= 1
WordPenalty0= -1
PhrasePenalty0= 0.2
TM= 0.2 0.2 0.2 0.2
hier= 0.3 0.3 0.3 0.3 0.3 0.3 0.3 0.3
LexicalReordering0= 0.3
Distortion0= 0.3
LM= 0.5
"""


def read(folder: Path, text: str) -> MosesDecoder:
    for name in ("table", "order.gz", "lm"):
        (folder / name).touch()
    (folder / "moses.ini").write_text(text)
    return read_moses_decoder(folder / "moses.ini")


def test_files_and_limits(tmp_path: Path) -> None:
    told = read(tmp_path, INI)
    config = told.config
    assert config.phrase_table == tmp_path / "table"
    assert config.language_models == (ModelFile(tmp_path / "lm", 3),)
    assert config.reordering == (
        (ReorderingModel("hier", "mslr", "bidirectional", "fe"), tmp_path / "order.gz"),
        (ReorderingModel("wbe", "msd", "backward", "f", True), tmp_path / "order.gz"),
    )
    assert config.weights == tmp_path / "moses.ini"
    assert config.settings == DecoderSettings(200, 6, math.log(1e-5), table_limit=7)
    assert list(config.moses_names.items()) == [
        ("UnknownWordPenalty0", "UnknownWordPenalty0"),
        ("WordPenalty0", "WordPenalty0"),
        ("PhrasePenalty0", "PhrasePenalty0"),
        ("TranslationModel0", "TM"),
        ("LexicalReordering0", "hier"),
        ("LexicalReordering1", "LexicalReordering0"),
        ("Distortion0", "Distortion0"),
        ("LM0", "LM"),
    ]
    assert (told.threads, told.n_best, told.ignored, told.segmentation) == (None, None, (), False)


@pytest.mark.parametrize(
    ("sections", "expected"),
    [
        ("[cube-pruning-pop-limit]\n7\n", 0),
        ("[search-algorithm]\n1\n", 1000),
        ("[search-algorithm]\n1\n\n[cube-pruning-pop-limit]\n7\n", 7),
    ],
)
def test_cube_pruning(tmp_path: Path, sections: str, expected: int) -> None:
    assert read(tmp_path, f"{INI}\n{sections}").config.settings.pop_limit == expected


def test_sections(tmp_path: Path) -> None:
    text = INI.replace(" table-limit=7", " table-limit=0") + (
        "[stack]\n50\n[distortion-limit]\n-1\n[beam-threshold]\n0\n[threads]\n3\n[verbose]\n2\n"
        "[n-best-list]\nlist.gz\n10\ndistinct\n[mbr]\nfalse\n[report-segmentation]\n"
        "[alignment-output-file]\nlinks\n[output-search-graph]\ngraph\n[print-alignment-info-in-n-best]\ntrue\n"
        "[include-segmentation-in-n-best]\n0\n[output-search-graph-hypergraph]\ntrue\ngz\nhg/\n"
    )
    told = read(tmp_path, text)
    assert told.config.settings == DecoderSettings(50, -1, 0.0, table_limit=1 << 30)
    assert told.n_best == NBestFile("list.gz", 10, True)
    assert (told.threads, told.alignment, told.ignored) == (3, "links", ("verbose",))
    assert (told.search_graph, told.hypergraphs) == ("graph", HypergraphFiles("hg", "gz"))
    assert told.segmentation and told.list_alignment and not told.list_segmentation


def test_of_several_lines_the_first_counts(tmp_path: Path) -> None:
    text = (
        f"{INI}\n[stack]\n100\n200\n[distortion-limit]\n5\n5\n[search-algorithm]\n1\n0\n"
        "[inputtype]\n0\n1\n[print-alignment-info-in-n-best]\ntrue\nfalse\n"
    )
    with pytest.warns(DataWarning) as told:
        found = read(tmp_path, text)
    assert found.config.settings == DecoderSettings(100, 5, math.log(1e-5), 1000, table_limit=7)
    assert found.list_alignment
    why = "has no effect, because only the first line counts, as in Moses"
    assert [str(warning.message).partition(", ")[2] for warning in told] == [
        f"line 30: '200' below [stack] {why}",
        f"line 36: '0' below [search-algorithm] {why}",
        f"line 39: '1' below [inputtype] {why}",
        f"line 42: 'false' below [print-alignment-info-in-n-best] {why}",
    ]


def test_short_names_have_no_effect(tmp_path: Path) -> None:
    with pytest.warns(
        DataWarning,
        match=r"moses.ini, line 27: the section \[s\] has no effect, because only the full name "
        r"\[stack\] is read in a file, as in Moses",
    ):
        found = read(tmp_path, f"{INI}[s]\n5\n[v]\n1\n")
    assert found.config.settings == DecoderSettings(200, 6, math.log(1e-5), table_limit=7)
    assert found.ignored == ("v",)


def test_what_a_feature_may_say_besides(tmp_path: Path) -> None:
    more = "num-features=4 tuneable-components=true,false,true,true"
    assert read(tmp_path, INI.replace("num-features=4", more)).config.settings.table_limit == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", True), ("1", True), ("True", True), ("YES", True), ("0", False), ("no", False)],
)
def test_switches(tmp_path: Path, text: str, expected: bool) -> None:
    assert read(tmp_path, f"{INI}\n[report-segmentation]\n{text}\n").segmentation == expected


def test_pipes_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "/dev/zero"):
        with pytest.raises(
            DataError, match=rf"line 16: path={name} is a pipe or device; expected a"
        ):
            read(tmp_path, INI.replace("path=lm", f"path={name}"))


def test_paths_from_the_working_folder_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "lm.gz").touch()
    monkeypatch.chdir(work)
    config = read(tmp_path, INI).config
    assert config.language_models[0].path.resolve() == work / "lm.gz"
    assert config.phrase_table == tmp_path / "table"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[mapping]\n0 T 0", "[mapping]\n0 T 0\n1 T 1",
         r"line 7: there is '1 T 1' below \[mapping\]; expected 0 T 0 or T 0 in one line, the only"
         r" value .*Decode with Moses, or train a system on words alone, without factors and"),
        ("[mapping]\n0 T 0", "[mapping]\nT 0\nT 0", r"line 7: there is 'T 0' below \[mapping\]"),
        ("[input-factors]\n0", "[input-factors]\n0\n1",
         r"line 4: there is '1' below \[input-factors\]; expected 0 in one line, the only value"),
        ("[mapping]\n0 T 0", "[inputtype]\n1\n0", r"line 6: there is '1' below \[inputtype\]; .*"
         r"Remove it to decode without it"),
        ("[mapping]", "[constraint]", r"line 5: this decoder does not support the section .*"
         r" alignment-output-file, .*\. Remove it to decode"),
        ("[mapping]", "[ttable-file]", r"line 5: the section \[ttable-file\] is outdated; .*"),
        ("[mapping]\n0 T 0", "[mbr]", r"line 5: the section \[mbr\] is empty; expected 0 or false"),
        ("[mapping]\n0 T 0", "[stack]\nbig", r"line 6: there is 'big' below \[stack\]; expected"),
        ("[mapping]\n0 T 0", "[stack]", r"line 5: there is nothing below \[stack\]; expected an"),
        ("[mapping]\n0 T 0", "[stack]\n0", r"moses\.ini: stack_size must be between 1 and"),
        ("[mapping]\n0 T 0", "[beam-threshold]\n2", r"line 6: there is '2' below .*; expected a"),
        ("[mapping]\n0 T 0", "[report-segmentation]\nmaybe",
         r"line 6: there is 'maybe' below \[report-segmentation\]; expected true or false"),
        ("[mapping]\n0 T 0", "[threads]\n0", r"line 6: there is '0' below \[threads\]; expected"),
        ("[mapping]\n0 T 0", "[n-best-list]\nx\n0", r"line 6: there is 'x 0' .*; expected FILE"),
        (
            "[mapping]\n0 T 0", "[output-search-graph-hypergraph]\ntrue",
            r"line 6: there is 'true' below .*; expected true txt\|gz\|bz2 DIR",
        ),
        ("PhraseDictionaryMemory", "PhraseDictionaryCompact",
         r"line 12: this decoder does not support the feature PhraseDictionaryCompact; .*Use"),
        ("\nDistortion\n", "\nOpSequenceModel path=x\n",
         r"line 15: this decoder does not support the feature OpSequenceModel; expected one of"),
        ("input-factor=0", "input-factor=1", r"line 12: this decoder does not support"),
        ("lazyken=0", "oov=1", r"line 16: this decoder does not support oov=1 of KENLM; expected"),
        ("\nDistortion\n", "\nDistortion\nDistortion name=D\n", r"line 16: there is a second"),
        ("name=hier", "name=TM", r"line 13: there is a second feature TM \(first: line 12\)"),
        ("\nDistortion\n", "\nPhraseDictionaryMemory name=TM1 path=table num-features=4\n",
         r"line 15: there is a second PhraseDictionaryMemory; expected one phrase table\. Merge"),
        ("PhraseDictionaryMemory name=TM ", "Distortion name=TM ",
         r"does not support (num-features=4|path=table) of Distortion"),
        ("KENLM name=LM factor=0 path=lm order=3 lazyken=0", "",
         r"line 8: there is no KENLM below \[feature\]; expected KENLM path="),
        ("path=lm", "path=nowhere", r"line 16: the file of path=nowhere does not exist; expected"
         r" the file of LM\. Paths are relative to the working folder or to the folder of"),
        ("order=3", "order=three", r"line 16: order=three is not a number; expected a number,"),
        ("type=hier-", "type=heir-", r"line 13: reordering model 'heir-mslr-bid.*Expected KIND-"),
        ("num-features=1", "num-features=3", r"line 14: the model wbe-msd-backward"
         r"-f-collapseff has num-features=3; expected num-features=1"),
        ("Distortion0= 0.3\n", "", r"line 15: Distortion has no weights; expected Distortion0= "),
        ("LM= 0.5", "LM= 0.5\nother= 1", r"line 27: there are weights for other, which is not a"),
        ("LM= 0.5", "LM= nan", r"line 26: the line 'LM= nan' is malformed; .*values must be"),
        ("hier= 0.3 ", "hier= ", r"line 23: hier has 7 weights; expected 8, as its num-features"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, INI.replace(old, new, 1))


def test_an_unknown_words_penalty_needs_no_weight(tmp_path: Path) -> None:
    assert read(tmp_path, INI.replace("UnknownWordPenalty0= 1\n", "")).config.weights
