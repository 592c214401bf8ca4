"use strict";
// Figures of each pair at a threshold: error against gold, disagreement, confidence (NaN without a link), unlinked words.

Iso.MEASURES = {
  line: { name: "text order", sign: 1 },
  aer: { name: "highest AER", sign: -1, needs: "gold" },
  difference: { name: "largest disagreement", sign: -1, needs: "other" },
  confidence: { name: "lowest confidence", sign: 1, needs: "scores" },
  unlinked: { name: "most words without a link", sign: -1 },
  words: { name: "longest", sign: -1 },
  shortest: { name: "shortest", sign: 1, column: "words" },
};

// Figures of a pair. While links are edited, words without a link are those of the gold alignments that are drawn;
// edits are null otherwise. scratch: see Iso.scratch
Iso.measurePair = function (data, pair, threshold, edits, scratch) {
  const columns = data.links.links, { gold, other } = data.links, keys = [], faded = edits && new Set();
  let sum = 0;
  for (let row = columns.offsets[pair]; row < columns.offsets[pair + 1]; row++) {
    const key = columns.source[row] * 65536 + columns.target[row];
    if (columns.value && columns.value[row] < threshold) {
      if (faded) faded.add(key);
      continue;
    }
    keys.push(key);
    sum += columns.value ? columns.value[row] : 1000;
  }
  const shown = edits ? Iso.goldOf(data, pair, edits).map(([key]) => key).filter((key) => !faded.has(key)) : keys;
  const found = { links: keys.length, words: data.sourceWords[pair] + data.targetWords[pair],
    confidence: keys.length ? sum / keys.length / 1000 : NaN, aer: 0, difference: 0,
    sure: 0, inSure: 0, inPossible: 0, both: 0, other: 0 };
  found.unlinked = found.words - Iso.countLinked(shown, scratch);
  if (gold) {
    const edited = edits && edits.has(pair);
    [found.sure, found.inSure, found.inPossible] = edited ? Iso.overlap(keys, Iso.columnsOf(Iso.goldOf(data, pair, edits)), 0)
      : Iso.overlap(keys, gold, pair);
    found.aer = Iso.scores(found).aer;
  }
  if (other) {
    found.both = Iso.overlap(keys, other, pair)[2];
    found.other = other.offsets[pair + 1] - other.offsets[pair];
    const union = keys.length + found.other - found.both;
    found.difference = union ? 1 - found.both / union : 0;
  }
  return found;
};

// Marks for each position of both sides, all 0 between two pairs.
Iso.scratch = () => [new Uint8Array(65536), new Uint8Array(65536)];

// Words that have one of these links.
Iso.countLinked = function (keys, scratch) {
  let count = 0;
  for (const key of keys) {
    const i = Math.floor(key / 65536), j = key % 65536;
    if (!scratch[0][i]) { scratch[0][i] = 1; count++; }
    if (!scratch[1][j]) { scratch[1][j] = 1; count++; }
  }
  for (const key of keys) { scratch[0][Math.floor(key / 65536)] = 0; scratch[1][key % 65536] = 0; }
  return count;
};

const COLUMNS = ["aer", "difference", "confidence", "unlinked", "words"];
const TOTALS = ["links", "sure", "inSure", "inPossible", "both", "other"];

// Figures of the pairs read so far. edits: none of a pair, but a map, if links are edited; before: figures of the
// first pairs, which are kept if the threshold is the same
Iso.measure = function (data, threshold, edits, before) {
  const n = data.size, scratch = Iso.scratch();
  const figures = before && before.threshold === threshold ? { ...before, totals: { ...before.totals } } : {
    aer: new Float32Array(n), difference: new Float32Array(n), confidence: new Float32Array(n),
    unlinked: new Uint16Array(n), words: new Uint16Array(n), line: data.line, threshold, count: 0,
    counts: Object.fromEntries(TOTALS.map((name) => [name, new Uint32Array(n)])),
    totals: Object.fromEntries(TOTALS.map((name) => [name, 0])),
  };
  const { counts, totals } = figures;
  for (; figures.count < data.loaded; figures.count++) {
    const found = Iso.measurePair(data, figures.count, threshold, edits, scratch);
    for (const name of COLUMNS) figures[name][figures.count] = found[name];
    for (const name of TOTALS) {
      counts[name][figures.count] = found[name];
      totals[name] += found[name];
    }
  }
  return figures;
};

// The totals of some pairs.
Iso.totalsOf = (figures, pairs) => Object.fromEntries(TOTALS.map((name) =>
  [name, pairs.reduce((sum, pair) => sum + figures.counts[name][pair], 0)]));

// The same figures with those of the pairs whose links were changed.
Iso.withEdits = function (figures, data, threshold, edits) {
  if (!edits.size) return figures;
  const changed = { ...figures, totals: { ...figures.totals }, counts: {} }, scratch = Iso.scratch();
  for (const name of COLUMNS) changed[name] = figures[name].slice();
  for (const name of TOTALS) changed.counts[name] = figures.counts[name].slice();
  for (const pair of edits.keys()) {
    if (pair >= data.loaded) continue;
    const after = Iso.measurePair(data, pair, threshold, edits, scratch);
    for (const name of COLUMNS) changed[name][pair] = after[name];
    for (const name of TOTALS) {
      changed.counts[name][pair] = after[name];
      changed.totals[name] += after[name] - figures.counts[name][pair];
    }
  }
  return changed;
};

// Sure links of a pair, those of them among sorted keys, and links of any kind among them.
Iso.overlap = function (keys, columns, pair) {
  let at = 0, sure = 0, inSure = 0, inAny = 0;
  for (let row = columns.offsets[pair]; row < columns.offsets[pair + 1]; row++) {
    const key = columns.source[row] * 65536 + columns.target[row];
    const isSure = columns.value ? columns.value[row] === 1 : true;
    while (at < keys.length && keys[at] < key) at++;
    const found = at < keys.length && keys[at] === key;
    sure += isSure; inSure += isSure && found; inAny += found;
  }
  return [sure, inSure, inAny];
};

// Gold alignments of one pair, as Iso.goldOf has them, as columns.
Iso.columnsOf = (links) => ({
  offsets: [0, links.length], source: links.map(([key]) => Math.floor(key / 65536)),
  target: links.map(([key]) => key % 65536), value: links.map(([, kind]) => kind === "S" ? 1 : 0),
});

Iso.scores = function ({ links, sure, inSure, inPossible }) {
  return {
    aer: links + sure ? 1 - (inSure + inPossible) / (links + sure) : 0,
    precision: links ? inPossible / links : 0,
    recall: sure ? inSure / sure : 0,
  };
};

// Numbers of the pairs that pass the filters, in the order asked for.
// search: an Iso.Search, as far as it is; edits: of links that are edited, else null
Iso.select = function (data, figures, state, search, edits) {
  const { found, upTo } = search;
  const domain = data.domain && state.domain !== "" ? data.meta.domains.indexOf(state.domain) : -1;
  const at = (text, otherwise) => text === "" || isNaN(Number(text)) ? otherwise : Number(text);
  const aer = at(state.minAer, 0) / 100, confidence = at(state.maxConfidence, 1);
  const least = at(state.minWords, 0), most = at(state.maxWords, Infinity);
  const unlinked = at(state.minUnlinked, 0), link = state.link;
  const chosen = [];
  for (let k = 0; k < upTo; k++) {
    if (found && !found[k]) continue;
    if (domain >= 0 && data.domain[k] !== domain) continue;
    if (aer && figures.aer[k] < aer) continue;
    if (confidence < 1 && !(figures.confidence[k] <= confidence)) continue; // NaN, without a link
    if (figures.words[k] < least || figures.words[k] > most) continue;
    if (figures.unlinked[k] < unlinked) continue;
    if (state.differs && figures.difference[k] === 0) continue;
    if (link && !Iso.isLinkedSo(data, k, link, state.threshold, edits)) continue;
    chosen.push(k);
  }
  const measure = Iso.MEASURES[state.sort] || Iso.MEASURES.line;
  const column = figures[measure.column || state.sort] || figures.line;
  const less = (a, b) => measure.sign * (column[a] - column[b]) || isNaN(column[a]) - isNaN(column[b]) || a - b; // NaN is last
  if (column !== figures.line) chosen.sort(less);
  return Int32Array.from(chosen);
};

// Whether a word of the pair is linked to its partner, or to another word; by the gold alignments if they are edited.
Iso.isLinkedSo = function (data, pair, { side, word, partner, otherwise }, threshold, edits) {
  if (!data[side][pair].includes(word)) return false;
  const own = data.words(side, pair), others = data.words(side === "source" ? "target" : "source", pair);
  const links = edits ? Iso.goldOf(data, pair, edits).map(([key]) => [Math.floor(key / 65536), key % 65536, null])
    : data.links.links.of(pair);
  for (const [i, j, value] of links) {
    if (value !== null && value < threshold) continue;
    const [here, there] = side === "source" ? [i, j] : [j, i];
    if (own[here] === word && (others[there] === partner) !== otherwise) return true;
  }
  return false;
};
