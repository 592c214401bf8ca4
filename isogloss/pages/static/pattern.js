"use strict";
// Regular expressions that know the letters of all scripts: those of JavaScript take only a to z for words.

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_C}"; // what Unicode's report on regular expressions (18) has for \w

// The same characters below U+10000, as ranges: where a text has no others, a search is up to four times as fast.
const narrowWord = function () {
  const word = new RegExp(`[${WORD}]`, "u"), ranges = [];
  for (let code = 0, first = -1; code <= 0x10000; code++) {
    const isIn = code < 0x10000 && word.test(String.fromCharCode(code));
    if (isIn && first < 0) first = code;
    if (!isIn && first >= 0) {
      ranges.push(`\\u{${first.toString(16)}}-\\u{${(code - 1).toString(16)}}`);
      first = -1;
    }
  }
  return ranges.join("");
};

const escapesOf = (word) => new Map([
  ["\\w", `[${word}]`], ["\\W", `[^${word}]`],
  ["\\b", `(?:(?<![${word}])(?=[${word}])|(?<=[${word}])(?![${word}]))`],
  ["\\B", `(?:(?<![${word}])(?![${word}])|(?<=[${word}])(?=[${word}]))`],
]);

const words = new Map(); // by whether a text has characters from U+10000 on, made when they are asked for
const wordOf = function (isWide) {
  if (!words.has(isWide)) {
    const word = isWide ? WORD : narrowWord();
    words.set(isWide, { word, escapes: escapesOf(word) });
  }
  return words.get(isWide);
};

// The same expression, where \w, \W, \b and \B are those of Unicode. text: a valid one
Iso.withUnicodeWords = (text, isWide) => text.replace(/\[(\^?)((?:\\.|[^\]\\])*)\]|\\./gsu, (part, not, members) => {
  const { word, escapes } = wordOf(isWide);
  if (members === undefined) return escapes.get(part) || part;
  const others = members.replace(/\\./gsu, (one) => one === "\\w" ? word : one === "\\W" ? "" : one);
  if (!/^(?:\\[^W]|[^\\])*\\W/su.test(members)) return `[${not}${others}]`;
  const rest = `[${others.replace(/^\^/, "\\^")}]`; // no class holds what is not in another one
  return not ? `(?:(?!${rest})[${word}])` : `(?:${rest}|[^${word}])`;
});

// A regular expression of a text that was typed; throws a SyntaxError that says what is wrong with it.
Iso.pattern = function (text, matchCase, isWide = true) {
  const flags = matchCase ? "u" : "iu";
  return text && new RegExp(text, flags) && new RegExp(Iso.withUnicodeWords(text, isWide), flags) || null;
};

// The pairs that both searches find. It looks at a part of them after the other: an expression may take seconds.
Iso.Search = class {
  constructor(data, state) {
    this.data = data;
    this.found = null; // of the pairs before `upTo`: 1 = found; null: all
    this.upTo = 0;
    this.sides = [];
    for (const side of ["source", "target"]) {
      const pattern = Iso.pattern(state[side], state.case, data.isWide[side]);
      if (pattern) this.sides.push([pattern, data[side]]);
    }
    if (this.sides.length) this.found = new Uint8Array(data.size);
  }

  get isDone() { return this.upTo >= this.data.loaded; }

  // Looks at further pairs for so many milliseconds, and at some in any case.
  advance(milliseconds) {
    const { data, found, sides } = this, end = performance.now() + milliseconds;
    if (!found) this.upTo = data.loaded;
    while (!this.isDone) {
      const stop = Math.min(this.upTo + 64, data.loaded);
      for (let k = this.upTo; k < stop; k++) found[k] = sides.every(([pattern, texts]) => pattern.test(texts[k]));
      this.upTo = stop;
      if (performance.now() >= end) return;
    }
  }
};
