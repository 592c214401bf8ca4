"use strict";
// Regular expressions that know the letters of all scripts: those of JavaScript take only a to z for words.

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_C}"; // what Unicode's report on regular expressions (18) has for \w
const ESCAPES = new Map([
  ["\\w", `[${WORD}]`], ["\\W", `[^${WORD}]`],
  ["\\b", `(?:(?<![${WORD}])(?=[${WORD}])|(?<=[${WORD}])(?![${WORD}]))`],
  ["\\B", `(?:(?<![${WORD}])(?![${WORD}])|(?<=[${WORD}])(?=[${WORD}]))`],
]);

// The same expression, where \w, \W, \b and \B are those of Unicode. text: a valid one
Iso.withUnicodeWords = (text) => text.replace(/\[(\^?)((?:\\.|[^\]\\])*)\]|\\./gsu, (part, not, members) => {
  if (members === undefined) return ESCAPES.get(part) || part;
  const others = members.replace(/\\./gsu, (one) => one === "\\w" ? WORD : one === "\\W" ? "" : one);
  if (!/^(?:\\[^W]|[^\\])*\\W/su.test(members)) return `[${not}${others}]`;
  const rest = `[${others.replace(/^\^/, "\\^")}]`; // no class holds what is not in another one
  return not ? `(?:(?!${rest})[${WORD}])` : `(?:${rest}|[^${WORD}])`;
});

// A regular expression of a text that was typed; throws a SyntaxError that says what is wrong with it.
Iso.pattern = function (text, matchCase) {
  const flags = matchCase ? "u" : "iu";
  return text && new RegExp(text, flags) && new RegExp(Iso.withUnicodeWords(text), flags) || null;
};
