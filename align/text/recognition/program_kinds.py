"""Lists, weights, lattices and links of other programs: what each is called, and what to do."""

from .kind import Kind

__all__ = ["PROGRAM_KINDS"]

PROGRAM_KINDS = {
    "giza": Kind(
        "error", "the file holds alignments of GIZA++ (A3.final)",
        "Convert both directions to Pharaoh links with Moses's giza2bal.pl and symal",
    ),
    "wa-xml": Kind(
        "error", "the file holds gold links in XML (.wa)",
        "Write a line of links per sentence pair: sure ones as 0-0, possible ones as 0p0, counted "
        "from 0",
    ),
    "blinker": Kind(
        "error", "the lines are pairs of positions, as in gold links of the Blinker project",
        "Join the files of all sentences to NAACL lines: `awk '{print FNR == 1 ? ++n : n, $0}' "
        "FILES`, with the sides in the order of the text",
    ),
    "number-pairs": Kind(
        "error",
        "the lines are pairs of numbers without hyphens",
        r"Write links: `sed -E 's/([0-9]+) +([0-9]+)[,;]?/\1-\2/g' FILE`, which count from 0",
    ),
    "colon-links": Kind(
        "error",
        "the lines are links with colons",
        "Write hyphens: `tr : - < FILE`, if they count from 0",
    ),
    "comma-links": Kind(
        "error",
        "the lines are links with commas between them",
        "Write spaces: `tr , ' ' < FILE`",
    ),
    "tuple-links": Kind(
        "error",
        "the lines are lists of pairs of numbers",
        "Write links: `python -c 'import re, sys; [print(*map(\"-\".join, "
        're.findall(r"(\\d+), ?(\\d+)", s))) for s in sys.stdin]\' < FILE`',
    ),
    "json-links": Kind(
        "error",
        "the file is a list of lists of pairs of numbers in JSON",
        "Write a line of links per sentence: `python -c 'import json, sys; [print(*(f\"{i}-{j}\" "
        "for i, j, *_ in s)) for s in json.load(sys.stdin)]' < FILE`",
    ),
    "bracket-links": Kind(
        "error",
        "the lines are links with a mark in brackets",
        r"Drop the marks: `sed -E 's/\[[^][]*\]//g' FILE`, or write possible links as 0p0",
    ),
    "letter-links": Kind(
        "error",
        "the lines are links with S or P behind them",
        r"Write `sed -E 's/([0-9]+)-([0-9]+)[-/:]?[Ss]/\1-\2/g; "
        r"s/([0-9]+)-([0-9]+)[-/:]?[Pp]/\1p\2/g' FILE`",
    ),
    "letters-first": Kind(
        "error",
        "the lines are links with S or P before them",
        r"Write `sed -E 's/S:? ([0-9]+)-([0-9]+)/\1-\2/g; s/P:? ([0-9]+)-([0-9]+)/\1p\2/g' FILE`",
    ),
    "named-links": Kind(
        "error",
        "the lines are both texts and their links",
        "Take the links out: `awk -F ' [|][|][|] ?' '{print $3}' FILE`",
    ),
    "srilm-list": Kind(
        "error", "the file is an n-best list of SRILM",
        "Write `id ||| words ||| NAME= value` lines, as docs/howto/asr.md shows",
    ),
    "srilm-scores": Kind(
        "error", "the file is an n-best list of SRILM (acoustic score, LM score, number of words)",
        "Write `awk '{a = $1; l = $2; n = $3; sub(/^[^ ]+ [^ ]+ [^ ]+ /, \"\"); print \"0 ||| \" "
        "$0 \" ||| am= \" a \" lm= \" l \" n= \" n}' FILE`, with another number for each utterance",
    ),
    "htk-lattice": Kind(
        "error", "the file is an HTK lattice (SLF)",
        "Take an n-best list out of it, for example with SRILM's lattice-tool -nbest-decode",
    ),
    "plf": Kind(
        "error", "the lines are lattices or confusion networks in Python's notation (PLF)",
        "Take n-best lists out of them",
    ),
    "fst": Kind(
        "error", "the lines are arcs of a transducer in the text format of OpenFst",
        "Take an n-best list out of it with fstshortestpath --nshortest",
    ),
    "ctm": Kind(
        "error", "the lines are words with times (CTM)",
        "Join the words of each utterance to a line",
    ),
    "stm": Kind(
        "error",
        "the lines are a transcript with speakers and times (STM)",
        "Write the words alone: `grep -v '^;;' FILE | "
        "sed -E 's/^([^[:space:]]+[[:space:]]+){5}(<[^>]*>[[:space:]]*)?//'`",
    ),
    "opennmt-log": Kind(
        "error", "the file is a log of OpenNMT",
        "Translate with --n_best N and --with_score to a file, and write `id ||| hypothesis ||| "
        "score= value` lines",
    ),
    "fairseq-log": Kind(
        "error", "the file is of an early fairseq, whose H lines have no number",
        r"Number them: `awk -F'\t' -v OFS='\t' -v N=5 '"
        r'''$1 == "S" {n++} $1 == "H" {print "H-" (n ? n - 1 : int((h++) / N)), $2, $3}'''
        "' FILE`, where N, the number of hypotheses per sentence, counts only in a file without "
        "S lines",
    ),
    "score-first": Kind(
        "error", "the lines are scores and hypotheses, as of OpenNMT-tf, without sentence ids",
        "With N hypotheses per sentence: `awk -F ' [|][|][|] ' -v N=5 '{print int((NR - 1) / N) "
        "\" ||| \" $2 \" ||| score= \" $1}' FILE`",
    ),
    "colon-names": Kind(
        "error", "the lines are an n-best list with colons behind the names, as Moses wrote before "
        "2012", "Write equals signs in place of them: `awk -F ' [|][|][|] ' -v OFS=' ||| ' "
        "'{ gsub(/: /, \"= \", $3); print }' FILE`",
    ),
    "unnamed-scores": Kind(
        "error", "the list has scores without names, as of Nematus, Lua OpenNMT or HiFST",
        r"Name them: `sed -E 's/^([0-9]+ \|\|\| [^|]*\|\|\|) /\1 score= /' FILE`; costs, as of "
        "Nematus, where less is better, need a negative weight",
    ),
    "zmert": Kind(
        "error", "the file is a list of parameters of Z-MERT",
        r"Keep names and values: `grep -E '(Opt|Fix)' FILE | sed -E 's/ *\|\|\| *([^ ]+).*/ \1/'`",
    ),
    "joshua-config": Kind(
        "error", "the file is a configuration of Joshua, or weights as an early one has them",
        r"Keep names and weights: `awk '{" r'sub(/(^|[ \t])#.*|\r$/, "")' "} "
        r"!/=/ && NF > 1 && $NF ~ /^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$/ {name = $1; "
        r'for (i = 2; i < NF; i++) name = name "_" $i; sub(/^phrasemodel_/, "tm_", name); '
        "print name, $NF}' FILE`",
    ),
    "canoe-ini": Kind(
        "error", "the file is a configuration of Portage (canoe.ini)",
        "Write a line `NAME value` for each weight",
    ),
    "marian-config": Kind(
        "error", "the file is a configuration of Marian",
        "Write its weights as lines such as `F0 1`, `F1 0.5`, in the order of the models",
    ),
    "mert-log": Kind(
        "error", "the file is a log of Moses's mert",
        "Pass the moses.ini or the weights that the run wrote",
    ),
    "bare-numbers": Kind(
        "error", "the lines are numbers without names, such as Moses's init.opt and weights.txt",
        "Write a line `NAME value` for each weight, with the names that the n-best list has",
    ),
}  # fmt: skip
