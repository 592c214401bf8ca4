"use strict";
// A sentence pair as curves between two rows or two columns of words, or as a matrix.
const { html, useState, useEffect, useRef, useMemo, useCallback, render, Component } = htmPreact;

Iso.FONT = 15;
Iso.measureText = (() => {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `${Iso.FONT}px system-ui, "Noto Sans", sans-serif`;
  const widths = new Map();
  return (word) => {
    if (!widths.has(word)) widths.set(word, Math.max(8, context.measureText(word).width));
    return widths.get(word);
  };
})();

// Links of a pair: whether each is in A, in B and in gold (S or P), whether it belongs to the alignment that is
// shown (A, or the gold alignments that are edited), and whether it is below the threshold.
Iso.linksOf = function (data, pair, threshold, edits) {
  const found = new Map();
  const at = (i, j) => {
    const key = i * 65536 + j;
    if (!found.has(key)) found.set(key, { i, j, key, a: false, b: false, gold: "", chosen: false, value: null, faded: false });
    return found.get(key);
  };
  for (const [i, j, value] of data.links.links.of(pair)) {
    const link = at(i, j);
    link.a = true; link.chosen = !edits; link.value = value; link.faded = value !== null && value < threshold;
  }
  if (data.links.other) for (const [i, j] of data.links.other.of(pair)) at(i, j).b = true;
  if (edits) { // what is written as gold
    for (const [key, kind] of Iso.goldOf(data, pair, edits)) {
      Object.assign(at(Math.floor(key / 65536), key % 65536), { chosen: true, gold: kind });
    }
  } else if (data.links.gold) {
    for (const [i, j, value] of data.links.gold.of(pair)) at(i, j).gold = value ? "S" : "P";
  }
  return [...found.values()].sort((x, y) => x.key - y.key);
};

// The class of a link by the colors chosen, and its description.
Iso.kindOf = function (link, colors, data, pair) {
  if (colors === "gold") {
    if (link.chosen && link.gold) return link.gold === "S" ? "right" : "possible";
    return link.chosen ? "wrong" : "missed";
  }
  if (colors === "agreement") return link.a ? (link.b ? "both" : "only-a") : link.b ? "only-b" : "added";
  if (colors === "domain" && data.domain) return `domain-${data.domain[pair] % 8}`;
  if (link.value === null) return data.meta.scored.links ? "added" : "plain";
  return `p${link.value < 300 ? 0 : link.value < 500 ? 1 : link.value < 700 ? 2 : link.value < 900 ? 3 : 4}`;
};

Iso.KINDS = {
  gold: [["right", "sure link found"], ["possible", "possible link found"], ["wrong", "not in gold"], ["missed", "gold link missed"]],
  agreement: [["both", "both"], ["only-a", "only A"], ["only-b", "only B"]],
  confidence: [["p4", "0.9 to 1"], ["p3", "0.7 to 0.9"], ["p2", "0.5 to 0.7"], ["p1", "0.3 to 0.5"], ["p0", "below 0.3"]],
};

// Kinds while links are edited: those of A and of B can be missing in the gold alignments, and the other way round.
Iso.EDITED_KINDS = {
  gold: [["right", "sure"], ["possible", "possible"]],
  agreement: [...Iso.KINDS.agreement, ["added", "neither"], ["both unchosen", "faint: not in your gold alignments"]],
  confidence: [...Iso.KINDS.confidence, ["added", "no probability"]],
};

// Links that a drawing in these colors shows: with gold or another alignment also what is missing.
Iso.drawn = (links, colors) => links.filter((link) =>
  link.chosen || (colors === "gold" && link.gold) || (colors === "agreement" && (link.a || link.b)));

// The classes of a link but for what the pointer does.
Iso.classesOf = (link, colors, data, pair) => [Iso.kindOf(link, colors, data, pair), link.faded ? "faded" : "",
  data.meta.edit && !link.chosen ? "unchosen" : ""];

Iso.describe = function (link, words) {
  const parts = [`${Iso.visible(words.source[link.i])} – ${Iso.visible(words.target[link.j])}`];
  if (link.value !== null) parts.push(`probability ${(link.value / 1000).toFixed(3)}`);
  if (link.gold) parts.push(link.gold === "S" ? "sure in gold" : "possible in gold");
  return parts.join(", ");
};

// Places of the words of both sides, and the size of the drawing.
Iso.layoutRows = function (words) {
  const gap = 14, pad = 10, sides = {};
  let width = 0;
  for (const side of ["source", "target"]) {
    const widths = words[side].map((word) => Iso.measureText(Iso.visible(word)));
    sides[side] = { widths, total: widths.reduce((sum, one) => sum + one + gap, 0) };
    width = Math.max(width, sides[side].total);
  }
  width += 2 * pad;
  const places = {};
  for (const side of ["source", "target"]) {
    let x = pad + (width - 2 * pad - sides[side].total + gap) / 2;
    const centers = sides[side].widths.map((one) => { const center = x + one / 2; x += one + gap; return center; });
    const flipped = Iso.isRightToLeft(words[side]);
    places[side] = centers.map((center, k) => ({
      x: flipped ? width - center : center, y: side === "source" ? 22 : 158, width: sides[side].widths[k],
      anchor: "middle",
    }));
  }
  const curve = (from, to) => `M${from.x} 32 C${from.x} 85, ${to.x} 85, ${to.x} 138`;
  return { width, height: 176, places, curve };
};

Iso.layoutColumns = function (words) {
  const step = 25, sides = {};
  for (const side of ["source", "target"]) {
    sides[side] = Math.max(20, ...words[side].map((word) => Iso.measureText(Iso.visible(word))));
  }
  const left = sides.source + 16, right = left + 130, count = Math.max(words.source.length, words.target.length);
  const column = (list, x, anchor) => list.map((word, k) => ({
    x, y: 20 + k * step, anchor, width: Iso.measureText(Iso.visible(word)),
  }));
  const places = { source: column(words.source, left, "end"), target: column(words.target, right, "start") };
  const curve = (from, to) => {
    const [a, b] = [left + 6, right - 6], middle = (a + b) / 2;
    return `M${a} ${from.y - 5} C${middle} ${from.y - 5}, ${middle} ${to.y - 5}, ${b} ${to.y - 5}`;
  };
  return { width: right + sides.target + 16, height: 20 + count * step, places, curve };
};

Iso.Word = function ({ side, k, word, place, state, onWord }) {
  const shown = Iso.visible(word);
  const names = ["word", side];
  if (state.unlinked[side].has(k)) names.push("unlinked");
  if (state.active && state.active.side === side && state.active.k === k) names.push("active");
  if (state.partners && state.partners[side].has(k)) names.push("partner");
  const left = place.x - (place.anchor === "middle" ? place.width / 2 : place.anchor === "end" ? place.width : 0);
  return html`<g class=${names.join(" ")} role="button" tabindex="0" data-side=${side} data-word=${k}
      aria-label=${`${side} word ${k + 1}: ${shown}${state.unlinked[side].has(k) ? ", no link" : ""}`}
      aria-pressed=${!!(state.pinned && state.pinned.side === side && state.pinned.k === k)}
      onMouseEnter=${() => onWord("hover", side, k)} onMouseLeave=${() => onWord("leave", side, k)}
      onFocus=${() => onWord("hover", side, k)} onBlur=${() => onWord("leave", side, k)}
      onClick=${() => onWord("click", side, k)}
      onKeyDown=${(event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onWord("click", side, k); } }}>
    <rect x=${left - 4} y=${place.y - 16} width=${place.width + 8} height="22" rx="4" />
    <text x=${place.x} y=${place.y} text-anchor=${place.anchor}
      direction=${Iso.isRightToLeft([word]) && place.anchor === "middle" ? "rtl" : "ltr"}>${shown}</text>
  </g>`;
};

// props: data, pair, words, links, colors, layout, state of words, onWord, scale
Iso.Curves = function ({ data, pair, words, links, colors, layout, state, onWord, scale = 1 }) {
  const active = state.active;
  const touches = (link) => active && (active.side === "source" ? link.i : link.j) === active.k;
  return html`<svg class="drawing curves" xmlns="http://www.w3.org/2000/svg" role="group"
      aria-label="Word alignment" width=${layout.width * scale} height=${layout.height * scale}
      viewBox=${`0 0 ${layout.width} ${layout.height}`}>
    <g class="links" aria-hidden="true">${Iso.drawn(links, colors).map((link) => html`<path key=${link.key}
        class=${["link", ...Iso.classesOf(link, colors, data, pair), active ? (touches(link) ? "on" : "off") : ""].join(" ")}
        d=${layout.curve(layout.places.source[link.i], layout.places.target[link.j])} fill="none">
        <title>${Iso.describe(link, words)}</title></path>`)}</g>
    ${["source", "target"].map((side) => words[side].map((word, k) => html`<${Iso.Word} key=${side + k}
        side=${side} k=${k} word=${word} place=${layout.places[side][k]} state=${state} onWord=${onWord} />`))}
  </svg>`;
};

// Dashes as lines of their own: a browser prints those of a style as outlines, which take a hundred times the bytes.
Iso.drawDashes = function (box) {
  for (const link of box.querySelectorAll(".link")) {
    const pattern = getComputedStyle(link).strokeDasharray.split(/[ ,]+/).map(parseFloat), dashes = [];
    if (!(pattern[0] > 0)) continue; // "none"
    const length = link.getTotalLength(), at = (place) => link.getPointAtLength(Math.min(place, length));
    for (let place = 0; place < length; place += pattern[0] + pattern[1]) {
      const [from, to] = [at(place), at(place + pattern[0])];
      dashes.push(`M${from.x.toFixed(1)} ${from.y.toFixed(1)}L${to.x.toFixed(1)} ${to.y.toFixed(1)}`);
    }
    link.setAttribute("d", dashes.join(""));
    link.style.strokeDasharray = "none";
  }
};

// Size of a matrix, of its cells, its words, and the words' margins.
Iso.layoutMatrix = function (words) {
  const large = Math.max(words.source.length, words.target.length) > 80;
  const cell = large ? 12 : 24, font = large ? 10 : 13;
  const label = (word) => Iso.measureText(Iso.visible(word)) * font * 1.1 / Iso.FONT; // in bold
  const left = Math.max(30, ...words.source.map(label)) + 12, top = Math.max(30, ...words.target.map(label)) + 12;
  const width = left + words.target.length * cell + 4, height = top + words.source.length * cell + 4;
  return { cell, font, left, top, width, height };
};

Iso.Matrix = function ({ data, pair, words, links, colors, state, onWord, onCell, cursor, onKey, scale = 1 }) {
  const { cell, font, left, top, width, height } = Iso.layoutMatrix(words);
  const names = (side, k) => ["label", state.unlinked[side].has(k) ? "unlinked" : "",
    state.active && state.active.side === side && state.active.k === k ? "active" : ""].join(" ");
  const cellAt = (event) => {
    const box = event.currentTarget.ownerSVGElement.getBoundingClientRect();
    const zoom = width / box.width;
    return [Math.floor(((event.clientY - box.top) * zoom - top) / cell),
            Math.floor(((event.clientX - box.left) * zoom - left) / cell)];
  };
  const number = Math.round(words.target.length * words.source.length);
  return html`<svg class=${"drawing matrix" + (onCell ? " editable" : "")} xmlns="http://www.w3.org/2000/svg"
      role=${onCell ? "application" : "img"} tabindex=${onCell ? "0" : null} onKeyDown=${onCell ? onKey : null}
      aria-label=${onCell ? "Links as a matrix. Arrow keys move, space changes a link." : `Links as a matrix of ${number} cells`}
      width=${width * scale} height=${height * scale} viewBox=${`0 0 ${width} ${height}`}>
    ${words.source.map((word, i) => html`<text key=${"s" + i} class=${names("source", i)} font-size=${font}
      x=${left - 8} y=${top + (i + 0.5) * cell + font / 3} text-anchor="end">${Iso.visible(word)}</text>`)}
    ${words.target.map((word, j) => html`<text key=${"t" + j} class=${names("target", j)} font-size=${font} text-anchor="start"
      transform=${`translate(${left + (j + 0.5) * cell + font / 3} ${top - 8}) rotate(-90)`}>${Iso.visible(word)}</text>`)}
    <g class="grid" aria-hidden="true">
      ${words.source.concat("").map((_, i) => html`<path key=${"h" + i} d=${`M${left} ${top + i * cell}H${width - 4}`} />`)}
      ${words.target.concat("").map((_, j) => html`<path key=${"v" + j} d=${`M${left + j * cell} ${top}V${height - 4}`} />`)}
    </g>
    ${Iso.drawn(links, colors).map((link) => html`<rect key=${link.key} data-cell=${`${link.i}-${link.j}`}
      class=${["cell", ...Iso.classesOf(link, colors, data, pair)].join(" ")}
      x=${left + link.j * cell + 3} y=${top + link.i * cell + 3} width=${cell - 6} height=${cell - 6}>
      <title>${Iso.describe(link, words)}</title></rect>`)}
    ${onCell && cursor ? html`<rect class="cursor" x=${left + cursor[1] * cell + 1} y=${top + cursor[0] * cell + 1}
      width=${cell - 2} height=${cell - 2} fill="none" />` : null}
    <rect class="surface" x=${left} y=${top} width=${words.target.length * cell} height=${words.source.length * cell}
      fill="transparent"
      onMouseMove=${(event) => { const [i, j] = cellAt(event); onWord("cell", i, j); }}
      onMouseLeave=${() => onWord("leave")}
      onClick=${onCell ? (event) => onCell(...cellAt(event)) : null} />
  </svg>`;
};
