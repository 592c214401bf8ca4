"use strict";
// What is downloaded: a drawing as SVG, PNG, TikZ or text, a selection as Pharaoh or CTFAlign JSON Lines,
// corrected links as gold alignments.

Iso.download = function (name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const anchor = Object.assign(document.createElement("a"), { href: url, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
};

// A drawing that looks the same without the page: what its style sheet says, as attributes.
Iso.standalone = function (svg) {
  const copy = svg.cloneNode(true), originals = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, k) => {
    const style = getComputedStyle(originals[k]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-family", "text-decoration"]) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" || name === "fill") element.setAttribute(name, value);
    }
    for (const name of ["class", "role", "tabindex", "aria-label", "aria-pressed", "aria-hidden", "data-side", "data-word", "data-cell"]) {
      element.removeAttribute(name);
    }
  });
  copy.querySelectorAll("rect[fill='rgba(0, 0, 0, 0)']").forEach((rect) => rect.remove());
  return copy;
};

Iso.svgText = (svg) => new XMLSerializer().serializeToString(Iso.standalone(svg)) + "\n";

Iso.savePng = function (svg, name) {
  const image = new Image(), scale = 2, url = URL.createObjectURL(new Blob([Iso.svgText(svg)], { type: "image/svg+xml" }));
  const { width, height } = svg.viewBox.baseVal;
  return new Promise((resolve, reject) => {
    image.onload = () => {
      const canvas = Object.assign(document.createElement("canvas"), { width: width * scale, height: height * scale });
      const context = canvas.getContext("2d");
      context.fillStyle = getComputedStyle(document.body).backgroundColor;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(url);
      canvas.toBlob((blob) => { Iso.download(name, blob); resolve(); }, "image/png");
    };
    image.onerror = reject;
    image.src = url;
  });
};

Iso.tex = (word) => word.replace(/[\\{}$&#^_%~<>|]/g, (character) =>
  ({ "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}",
     ">": "\\textgreater{}", "|": "\\textbar{}" })[character] || `\\${character}`);

const TEXT_WIDTH = 16; // cm, of a page

Iso.tikz = function (words, links) {
  const lines = [];
  let widest = 0;
  for (const [side, y] of [["source", 1.5], ["target", 0]]) {
    let x = 0;
    words[side].forEach((word, k) => {
      const width = Iso.measureText(word) / 40 + 0.3;
      lines.push(`  \\node (${side[0]}${k}) at (${(x + width / 2).toFixed(2)}, ${y}) {${Iso.tex(Iso.visible(word))}};`);
      x += width;
    });
    widest = Math.max(widest, x);
  }
  const smaller = widest > TEXT_WIDTH ? `scale=${(TEXT_WIDTH / widest).toFixed(3)}, transform shape, ` : "";
  lines.unshift(`\\begin{tikzpicture}[${smaller}every node/.style={text height=1.5ex, text depth=.25ex}]`);
  for (const { i, j, faded, chosen } of links) if (chosen && !faded) lines.push(`  \\draw (s${i}.south) -- (t${j}.north);`);
  return lines.concat("\\end{tikzpicture}", "").join("\n");
};

// Columns that a terminal gives a character, roughly: two for those of East Asian scripts, none for marks.
Iso.columns = (text) => [...text].reduce((sum, character) => sum + (/\p{M}|\p{Cf}/u.test(character) ? 0
  : /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u.test(character) ? 2 : 1), 0);

// Rows are source words; the target words stand below, numbered as their columns.
Iso.textGrid = function (words, links) {
  const marks = new Map(links.filter((link) => link.chosen && !link.faded).map((link) => [link.key, link.gold === "P" ? "o" : "x"]));
  const width = Math.max(0, ...words.source.map((word) => Iso.columns(Iso.visible(word))));
  const pad = (text) => text + " ".repeat(width - Iso.columns(text));
  const cell = Math.max(3, String(words.target.length - 1).length + 1); // columns of a target word
  const rows = words.source.map((word, i) => pad(Iso.visible(word)) + " " +
    words.target.map((_, j) => (marks.get(i * 65536 + j) || ".").padStart(cell)).join(""));
  rows.push(pad("") + " " + words.target.map((_, j) => String(j).padStart(cell)).join(""));
  return rows.concat(words.target.map((word, j) => `${String(j).padStart(3)} ${Iso.visible(word)}`), "").join("\n");
};

Iso.pharaoh = (links) => links.filter((link) => link.chosen && !link.faded).map(({ i, j }) => `${i}-${j}`).join(" ");

// Links of some pairs: those that reach the threshold, or the gold alignments if they are edited.
Iso.selectionText = function (data, pairs, threshold, form, edits) {
  const lines = [];
  for (const pair of pairs) {
    const links = edits ? Iso.goldLine(Iso.goldOf(data, pair, edits), 0) : Iso.pharaoh(Iso.linksOf(data, pair, threshold));
    lines.push(form === "pharaoh" ? links : JSON.stringify({
      line: data.line[pair], text_a: data.source[pair], text_b: data.target[pair], labels: links,
      ...(data.domain ? { domain: data.meta.domains[data.domain[pair]] } : {}),
    }));
  }
  return lines.join("\n") + (lines.length ? "\n" : "");
};

// Gold links as Pharaoh, counted from a number.
Iso.goldLine = (links, first) => links.map(([key, kind]) =>
  `${Math.floor(key / 65536) + first}${kind === "S" ? "-" : "p"}${key % 65536 + first}`).join(" ");

// Gold alignments of all pairs, by line of the text: those that were changed, else those of the file or the links.
Iso.goldText = function (data, edits, form) {
  const lines = [];
  for (let pair = 0; pair < data.loaded; pair++) {
    const links = Iso.goldOf(data, pair, edits);
    if (form === "naacl") {
      for (const [key, kind] of links) {
        lines.push(`${String(data.line[pair]).padStart(4, "0")} ${Math.floor(key / 65536) + 1} ${key % 65536 + 1} ${kind}`);
      }
    } else {
      lines[data.line[pair] - 1] = Iso.goldLine(links, form === "talp" ? 1 : 0);
    }
  }
  return Iso.linesOfSample(lines);
};

// Gold alignments of the pairs that were checked, by line of the text.
Iso.sampleText = function (data, edits) {
  const lines = [];
  for (const pair of edits.keys()) lines[data.line[pair] - 1] = Iso.goldLine(Iso.goldOf(data, pair, edits), 0);
  return Iso.linesOfSample(lines);
};

// - stands for every line up to the last that has no gold alignments.
Iso.linesOfSample = (lines) => Array.from(lines, (line) => `${line === undefined ? "-" : line}\n`).join("");

// [[key, "S" or "P"], ...] of a pair, sorted
Iso.goldOf = function (data, pair, edits) {
  const edited = edits.get(pair);
  const links = edited ? [...edited] : data.links.gold
    ? data.links.gold.of(pair).map(([i, j, sure]) => [i * 65536 + j, sure ? "S" : "P"])
    : data.links.links.of(pair).map(([i, j]) => [i * 65536 + j, "S"]);
  return links.sort((x, y) => x[0] - y[0]);
};
