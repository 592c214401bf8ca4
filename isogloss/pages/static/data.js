"use strict";
// The sentence pairs of a page: gzip chunks in base64, unpacked one after the other into columns.
const Iso = {};

Iso.bytes = function (text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text); // browsers of 2025 and later
  const characters = atob(text), bytes = new Uint8Array(characters.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = characters.charCodeAt(k);
  return bytes;
};

Iso.unpack = function (text) {
  const { readable, writable } = new DecompressionStream("gzip"), writer = writable.getWriter();
  writer.write(Iso.bytes(text)).then(() => writer.close());
  return new Response(readable);
};

// The lines of a text, and whether it has characters from U+10000 on.
Iso.lines = function (text) {
  const lines = text.split("\n");
  lines.isWide = /[\ud800-\udfff]/.test(text);
  return lines;
};

// Columns by name: a line of JSON with the name, the kind and the number of bytes of each, then the columns.
Iso.unpackColumns = async function (text) {
  const bytes = new Uint8Array(await Iso.unpack(text).arrayBuffer()), decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const columns = {}, kinds = { Uint16: Uint16Array, Int32: Int32Array };
  let at = bytes.indexOf(10) + 1;
  for (const [name, kind, size] of JSON.parse(decoder.decode(bytes.subarray(0, at)))) {
    const part = bytes.slice(at, at + size);
    columns[name] = kind === "lines" ? Iso.lines(decoder.decode(part)) : new kinds[kind](part.buffer);
    at += size;
  }
  return columns;
};

// Links of all pairs as columns: pair k has the rows offsets[k] to offsets[k + 1].
Iso.LinkColumns = class {
  constructor(pairs, size, hasValue) {
    this.offsets = new Int32Array(pairs + 1);
    this.source = new Uint16Array(size);
    this.target = new Uint16Array(size);
    this.value = hasValue ? new Uint16Array(size) : null; // probability in thousandths, or 1 = sure
  }

  // numbers: of the links of each pair; positions are differences from those of the link before
  add(first, numbers, sources, targets, values) {
    let row = this.offsets[first], i = 0, j = 0;
    for (let k = 0; k < sources.length; k++) {
      this.source[row + k] = i += sources[k];
      this.target[row + k] = j += targets[k];
    }
    if (this.value) this.value.set(values, row);
    for (let k = 0; k < numbers.length; k++) {
      row += numbers[k];
      this.offsets[first + k + 1] = row;
    }
  }

  // [[i, j, value], ...] of a pair; value is null if there is none
  of(pair) {
    const links = [];
    for (let row = this.offsets[pair]; row < this.offsets[pair + 1]; row++) {
      links.push([this.source[row], this.target[row], this.value ? this.value[row] : null]);
    }
    return links;
  }
};

Iso.Data = class {
  constructor(meta) {
    const n = meta.pairs;
    this.meta = meta;
    this.size = n;
    this.loaded = 0;
    this.source = new Array(n);
    this.target = new Array(n);
    this.isWide = { source: false, target: false };
    this.sourceWords = new Uint16Array(n);
    this.targetWords = new Uint16Array(n);
    this.line = new Int32Array(n);
    this.domain = meta.domains.length ? new Int16Array(n) : null;
    this.domainProbability = meta.domains.length ? new Uint16Array(n) : null;
    this.posterior = meta.edit ? new Uint16Array(n * meta.domains.length) : null; // thousandths
    this.links = {};
    for (const [name, size] of Object.entries(meta.links)) {
      this.links[name] = new Iso.LinkColumns(n, size, name === "gold" || meta.scored[name]);
    }
    this.partners = null;
  }

  add(chunk) {
    const first = this.loaded;
    for (let k = 0; k < chunk.source.length; k++) {
      this.source[first + k] = chunk.source[k];
      this.target[first + k] = chunk.target[k];
    }
    for (const side of ["source", "target"]) this.isWide[side] ||= chunk[side].isWide;
    this.sourceWords.set(chunk.source_words, first);
    this.targetWords.set(chunk.target_words, first);
    for (let k = 0, line = 0; k < chunk.line.length; k++) this.line[first + k] = line += chunk.line[k];
    if (this.domain) {
      this.domain.set(chunk.domain, first);
      this.domainProbability.set(chunk.domain_probability, first);
      if (this.posterior) this.posterior.set(chunk.posterior, first * this.meta.domains.length);
    }
    for (const name of Object.keys(this.links)) {
      this.links[name].add(first, ...["n", "i", "j", "v"].map((column) => chunk[`${name}.${column}`]));
    }
    this.loaded = first + chunk.source.length;
  }

  words(side, pair) {
    const text = this[side][pair];
    return text ? text.split(" ") : [];
  }

  // Number of the pair of a line, -1 if there is none so far.
  pairOf(line) {
    return this.line.subarray(0, this.loaded).indexOf(line);
  }

  // Partners of words, unpacked when the first word is asked for.
  async wordPartners() {
    if (!this.partners) {
      const element = document.getElementById("partners");
      this.partners = element ? Iso.partnersOf(await Iso.unpack(element.textContent).json()) : null;
    }
    return this.partners;
  }
};

// Rows of word pairs, and where the rows of each word are.
Iso.partnersOf = function (table) {
  const rows = { source: new Map(), target: new Map() };
  table.source.forEach((source, row) => {
    for (const [side, word] of [["source", table.source_words[source]],
                                ["target", table.target_words[table.target[row]]]]) {
      if (!rows[side].has(word)) rows[side].set(word, []);
      rows[side].get(word).push(row);
    }
  });
  for (const side of ["source", "target"]) {
    for (const list of rows[side].values()) list.sort((a, b) => table.count[b] - table.count[a]);
  }
  return { table, rows };
};

// What edits change in the links of a word: { count, byDomain } by partner, beside the links as loaded.
Iso.editedPartners = function (data, side, word, edits) {
  const changes = new Map(), domains = data.meta.domains.length, none = new Map();
  for (const pair of edits.keys()) {
    if (pair >= data.loaded) continue;
    const own = data.words(side, pair), others = data.words(side === "source" ? "target" : "source", pair);
    for (const [sign, links] of [[-1, Iso.goldOf(data, pair, none)], [1, Iso.goldOf(data, pair, edits)]]) {
      for (const [key] of links) {
        const [here, there] = side === "source" ? [Math.floor(key / 65536), key % 65536] : [key % 65536, Math.floor(key / 65536)];
        if (own[here] !== word) continue;
        const change = changes.get(others[there]) || { count: 0, byDomain: new Array(domains).fill(0) };
        change.count += sign;
        for (let d = 0; d < domains; d++) change.byDomain[d] += sign * data.posterior[pair * domains + d] / 1000;
        changes.set(others[there], change);
      }
    }
  }
  return changes;
};

// Partners of a word, the most frequent first, with the number of its links and of its partners. row: in the table,
// null for a partner that only edits made
Iso.partnersOfWord = function (data, { table, rows }, side, word, edits) {
  const there = side === "source" ? "target" : "source", domains = data.meta.domains.length;
  const own = rows[side].get(word) || [], changes = edits ? Iso.editedPartners(data, side, word, edits) : new Map();
  const found = own.map((row) => ({
    partner: table[`${there}_words`][table[there][row]], row, count: table.count[row],
    byDomain: Array.from({ length: domains }, (_, d) => table.by_domain[row * domains + d] / 10),
  }));
  let total = own.length ? table[`${side}_links`][table[side][own[0]]] : 0;
  for (const [partner, { count, byDomain }] of changes) {
    let one = found.find((other) => other.partner === partner);
    if (!one) found.push(one = { partner, row: null, count: 0, byDomain: byDomain.map(() => 0) });
    one.count += count;
    one.byDomain = one.byDomain.map((sum, d) => Math.max(0, sum + byDomain[d]));
    total += count;
  }
  const partners = found.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  return { partners, total, number: edits || !own.length ? partners.length : table[`${side}_partners`][table[side][own[0]]] };
};

// Whether most letters of some words are written from right to left.
Iso.isRightToLeft = function (words) {
  let balance = 0;
  for (const word of words) {
    if (/\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}/u.test(word)) balance++;
    else if (/\p{L}/u.test(word)) balance--;
  }
  return balance > 0;
};

// What a word shows: characters that nobody sees, and those that turn text around, by their number. Joiners and
// variation selectors shape the character before them, and are shown where there is none.
Iso.HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u034f\u115f\u1160\u2800\u3164\ufe00-\ufe0f\uffa0]/u;
Iso.visible = function (word) {
  if (!Iso.HIDDEN.test(word)) return word;
  let follows = false; // whether a visible character is before this one
  return [...word].map((character) => {
    const kept = !Iso.HIDDEN.test(character) || (follows && /[\u034f\u200c\u200d\ufe00-\ufe0f]/.test(character));
    follows = kept && !/\s/.test(character);
    return kept ? character : `<${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`;
  }).join("");
};
