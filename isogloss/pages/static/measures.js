"use strict";
// Figures of each pair at a threshold: error against gold, disagreement, confidence, unlinked words.

Iso.MEASURES = {
  line: { name: "text order", sign: 1 },
  aer: { name: "highest AER", sign: -1, needs: "gold" },
  difference: { name: "largest disagreement", sign: -1, needs: "other" },
  confidence: { name: "lowest confidence", sign: 1, needs: "scores" },
  unlinked: { name: "most words without a link", sign: -1 },
  words: { name: "longest", sign: -1 },
  shortest: { name: "shortest", sign: 1, column: "words" },
};

Iso.measure = function (data, threshold) {
  const n = data.loaded, shown = data.links.links, { gold, other } = data.links;
  const figures = {
    aer: new Float32Array(n), difference: new Float32Array(n), confidence: new Float32Array(n),
    unlinked: new Uint16Array(n), words: new Uint16Array(n), line: data.line,
    totals: { links: 0, sure: 0, inSure: 0, inPossible: 0, both: 0, other: 0 },
  };
  const linked = [new Uint8Array(65536), new Uint8Array(65536)], totals = figures.totals;
  for (let k = 0; k < n; k++) {
    const keys = [];
    let sum = 0, unlinked = data.sourceWords[k] + data.targetWords[k];
    const begin = shown.offsets[k], end = shown.offsets[k + 1];
    for (let row = begin; row < end; row++) {
      if (shown.value && shown.value[row] < threshold) continue;
      const i = shown.source[row], j = shown.target[row];
      keys.push(i * 65536 + j);
      sum += shown.value ? shown.value[row] : 1000;
      if (!linked[0][i]) { linked[0][i] = 1; unlinked--; }
      if (!linked[1][j]) { linked[1][j] = 1; unlinked--; }
    }
    for (const key of keys) { linked[0][Math.floor(key / 65536)] = 0; linked[1][key % 65536] = 0; }
    figures.words[k] = data.sourceWords[k] + data.targetWords[k];
    figures.unlinked[k] = unlinked;
    totals.links += keys.length;
    figures.confidence[k] = keys.length ? sum / keys.length / 1000 : 1;
    if (gold) {
      const [sure, inSure, inPossible] = Iso.overlap(keys, gold, k);
      totals.sure += sure;
      totals.inSure += inSure; totals.inPossible += inPossible;
      const all = keys.length + sure;
      figures.aer[k] = all ? 1 - (inSure + inPossible) / all : 0;
    }
    if (other) {
      const common = Iso.overlap(keys, other, k)[2], size = other.offsets[k + 1] - other.offsets[k];
      const union = keys.length + size - common;
      totals.both += common; totals.other += size;
      figures.difference[k] = union ? 1 - common / union : 0;
    }
  }
  return figures;
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

Iso.scores = function ({ links, sure, inSure, inPossible }) {
  return {
    aer: links + sure ? 1 - (inSure + inPossible) / (links + sure) : 0,
    precision: links ? inPossible / links : 0,
    recall: sure ? inSure / sure : 0,
  };
};

// A regular expression of a text that was typed; throws a SyntaxError that says what is wrong.
Iso.pattern = (text, matchCase) => text ? new RegExp(text, matchCase ? "u" : "iu") : null;

// Numbers of the pairs that pass the filters, in the order asked for.
Iso.select = function (data, figures, state) {
  const n = data.loaded;
  const source = Iso.pattern(state.source, state.case), target = Iso.pattern(state.target, state.case);
  const domain = data.domain && state.domain !== "" ? data.meta.domains.indexOf(state.domain) : -1;
  const at = (text, otherwise) => text === "" || isNaN(Number(text)) ? otherwise : Number(text);
  const aer = at(state.minAer, 0) / 100, confidence = at(state.maxConfidence, 1);
  const least = at(state.minWords, 0), most = at(state.maxWords, Infinity);
  const unlinked = at(state.minUnlinked, 0), link = state.link;
  const chosen = [];
  for (let k = 0; k < n; k++) {
    if (domain >= 0 && data.domain[k] !== domain) continue;
    if (aer && figures.aer[k] < aer) continue;
    if (confidence < 1 && figures.confidence[k] > confidence) continue;
    if (figures.words[k] < least || figures.words[k] > most) continue;
    if (figures.unlinked[k] < unlinked) continue;
    if (state.differs && figures.difference[k] === 0) continue;
    if (source && !source.test(data.source[k])) continue;
    if (target && !target.test(data.target[k])) continue;
    if (link && !Iso.isLinkedSo(data, k, link, state.threshold)) continue;
    chosen.push(k);
  }
  const measure = Iso.MEASURES[state.sort] || Iso.MEASURES.line;
  const column = figures[measure.column || state.sort] || figures.line;
  if (column !== figures.line) chosen.sort((a, b) => measure.sign * (column[a] - column[b]) || a - b);
  return Int32Array.from(chosen);
};

// Whether a word of the pair is linked to its partner, or to another word.
Iso.isLinkedSo = function (data, pair, { side, word, partner, otherwise }, threshold) {
  if (!data[side][pair].includes(word)) return false;
  const own = data.words(side, pair), others = data.words(side === "source" ? "target" : "source", pair);
  for (const [i, j, value] of data.links.links.of(pair)) {
    if (value !== null && value < threshold) continue;
    const [here, there] = side === "source" ? [i, j] : [j, i];
    if (own[here] === word && (others[there] === partner) !== otherwise) return true;
  }
  return false;
};
