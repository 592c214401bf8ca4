"use strict";
// The pair that is chosen: its drawing, its legend, and the partners of a word.

// Pixels for the partners of a word beside a drawing, and of those the ones of a domain's column; more scroll.
const LEAST_BESIDE = 260, MOST_BESIDE = 520, DOMAIN_COLUMN = 52;

const confidenceText = (value) => isNaN(value) ? "–" : value.toFixed(2); // NaN: of a pair without a link

function Choice({ label, name, state, set, options }) {
  return html`<label class="field"><span>${label}</span>
    <select value=${state[name]} onChange=${(event) => set({ [name]: event.target.value })}>
      ${options.map(([value, text]) => html`<option key=${value} value=${value} selected=${state[name] === value}>${text}</option>`)}
    </select></label>`;
}

const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

// Partners of a word in all links of the page, or in the gold alignments that are edited, with their probabilities.
function Partners({ data, side, word, set, edits }) {
  const [loaded, setLoaded] = useState(data.partners);
  useEffect(() => { data.wordPartners().then(setLoaded); }, [data]);
  if (!loaded) return null;
  const { table } = loaded, { domains } = data.meta, model = table.s2t.length > 0;
  const { partners, total, number } = Iso.partnersOfWord(data, loaded, side, word, edits);
  if (!partners.length) return html`<p><bdi><b>${Iso.visible(word)}</b></bdi> has no links on this page.</p>`;
  const shown = partners.slice(0, 12);
  const within = (name, row, d) => row === null ? "–" : (table[name][row * domains.length + d] / 1000).toFixed(2);
  const general = (name, row) => row === null ? "–" : (table[name][row] / 1000).toFixed(3);
  return html`<p id="partners-of"><bdi><b>${Iso.visible(word)}</b></bdi>: ${plural(total, "link")}${domains.length < 2 ? "" : model
      ? "; in each domain: expected links, p(t|s), p(s|t)" : "; in each domain: expected links"}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Partners">
    <table aria-labelledby="partners-of">
      <thead><tr><th scope="col">partner</th><th scope="col">links</th><th scope="col">pairs<br />linked</th>
        ${model ? html`<th scope="col">p(t|s)<br />p(s|t)</th>` : null}
        ${domains.length > 1 ? domains.map((name) => html`<th scope="col" key=${name} title=${name}>${name}</th>`) : null}</tr></thead>
      <tbody>${shown.map(({ partner, row, count, byDomain }) => {
        const jump = (otherwise) => html`<button type="button" aria-label=${otherwise ? "linked otherwise" : "linked like this"}
          onClick=${() => set({ link: { side, word, partner, otherwise }, source: "", target: "" })}>${otherwise ? "otherwise" : "like this"}</button>`;
        return html`<tr key=${partner}><th scope="row" dir="auto">${Iso.visible(partner)}</th>
          <td>${count.toLocaleString("en")}<br /><small>${(100 * count / total).toFixed(0)} %</small></td>
          <td>${jump(false)}${jump(true)}</td>
          ${model ? html`<td>${general("s2t", row)}<br />${general("t2s", row)}</td>` : null}
          ${domains.length > 1 ? domains.map((_, d) => html`<td key=${d}>${byDomain[d].toFixed(1)}
            ${model ? html`<br /><small>${within("s2t_by_domain", row, d)}<br />${within("t2s_by_domain", row, d)}</small>` : null}</td>`) : null}</tr>`;
      })}</tbody></table></div>
    ${number > shown.length ? html`<p>${(number - shown.length).toLocaleString("en")} more</p>` : null}`;
}

function Legend({ data, colors }) {
  const kinds = colors === "domain" ? data.meta.domains.map((name, k) => [`domain-${k % 8}`, name]) : (data.meta.edit ? Iso.EDITED_KINDS : Iso.KINDS)[colors] || [];
  if (colors === "confidence" && !data.meta.scored.links) return null;
  return html`<ul class="legend">${kinds.map(([kind, text]) => html`<li key=${text}><svg width="26" height="10"
    aria-hidden="true"><path class=${`link ${kind}`} d="M1 5H25" fill="none" /></svg> ${text}</li>`)}</ul>`;
}

// Positions of words without a link, and of the partners of a word.
function wordStates(words, links, active) {
  const unlinked = { source: new Set(words.source.keys()), target: new Set(words.target.keys()) };
  const partners = { source: new Set(), target: new Set() };
  for (const { i, j, chosen, faded } of links) {
    if (!chosen || faded) continue;
    unlinked.source.delete(i); unlinked.target.delete(j);
    if (active && active.side === "source" && active.k === i) partners.target.add(j);
    if (active && active.side === "target" && active.k === j) partners.source.add(i);
  }
  return { unlinked, partners };
}

function Pair({ data, figures, pair, state, set, edits, edit, confirm, discard }) {
  const [hover, setHover] = useState(null), [pinned, setPinned] = useState(null), [cursor, setCursor] = useState([0, 0]);
  const [changed, setChanged] = useState(false); // whether a link of this pair was changed, which is then announced
  const box = useRef(null), [width, setWidth] = useState(800);
  useEffect(() => { setHover(null); setPinned(null); setCursor([0, 0]); setChanged(false); }, [pair]);
  useEffect(() => {
    const observer = new ResizeObserver(() => box.current && setWidth(box.current.clientWidth));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const words = { source: data.words("source", pair), target: data.words("target", pair) };
  const links = Iso.linksOf(data, pair, state.threshold, edit && edits);
  const active = hover || pinned, found = wordStates(words, links, active);
  const toggle = (i, j) => {
    if (i < 0 || j < 0 || i >= words.source.length || j >= words.target.length) return;
    edit(pair, i * 65536 + j);
    setCursor([i, j]);
    setChanged(true);
  };
  const onWord = (what, side, k) => {
    if (what === "leave") return setHover(null);
    if (what === "cell") return setHover(side >= 0 && side < words.source.length ? { side: "source", k: side } : null);
    if (what === "hover") return setHover({ side, k });
    if (edit && pinned && pinned.side !== side) {
      side === "source" ? toggle(k, pinned.k) : toggle(pinned.k, k);
      return setPinned(null);
    }
    return setPinned(pinned && pinned.side === side && pinned.k === k ? null : { side, k });
  };
  const onKey = (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) setCursor(([i, j]) => [Math.max(0, Math.min(words.source.length - 1, i + step[0])), Math.max(0, Math.min(words.target.length - 1, j + step[1]))]);
    else if (event.key === " " || event.key === "Enter") toggle(...cursor);
    else return;
    event.preventDefault();
  };
  const rows = Iso.layoutRows(words);
  const view = state.view !== "auto" ? state.view : rows.width <= width ? "rows" : "columns";
  const layout = view === "rows" ? rows : Iso.layoutColumns(words);
  const besides = view === "matrix" ? 360 : Math.min(LEAST_BESIDE + DOMAIN_COLUMN * data.meta.domains.length, MOST_BESIDE);
  const isBeside = view !== "rows" && (view === "matrix" ? Iso.layoutMatrix(words) : layout).width + 40 + besides <= width;
  const drawing = () => box.current.querySelector("svg.drawing"), name = `pair-${data.line[pair]}`;
  const common = { data, pair, words, links, colors: state.colors, onWord, state: { ...found, active, pinned } };
  const at = ([i, j]) => links.find((link) => link.i === i && link.j === j);
  const kinds = { S: "sure", P: "possible" };
  const word = active && words[active.side][active.k];
  return html`<section class="pair" aria-label=${`Pair ${data.line[pair]}`}>
    <header class="line">
      <h2>${data.meta.numbering} ${data.line[pair]}${data.domain ? html` <span class=${`badge domain-${data.domain[pair] % 8}`}>${data.meta.domains[data.domain[pair]]}
        ${" "}${(data.domainProbability[pair] / 1000).toFixed(2)}</span>` : null}</h2>
      <p class="figures">${[
        data.links.gold && `AER ${(100 * figures.aer[pair]).toFixed(1)}`,
        data.meta.scored.links && `confidence ${confidenceText(figures.confidence[pair])}`,
        data.links.other && `disagreement ${(100 * figures.difference[pair]).toFixed(0)} %`,
        `${plural(figures.unlinked[pair], "word")} without a link`].filter(Boolean).join(" · ")}</p>
      <div class="line"><${Choice} label="View" name="view" state=${state} set=${set}
        options=${[["auto", "automatic"], ["rows", "curves, rows"], ["columns", "curves, columns"], ["matrix", "matrix"]]} />
      <${Choice} label="Colors" name="colors" state=${state} set=${set} options=${[
        data.meta.scored.links && ["confidence", "confidence"], edit ? ["gold", "sure and possible"] : data.links.gold && ["gold", "against gold"],
        data.links.other && ["agreement", "A and B"], data.domain && ["domain", "domain"],
        !data.meta.scored.links && ["plain", "one color"]].filter(Boolean)} /></div>
    </header>
    <${Legend} data=${data} colors=${state.colors} />
    ${edit ? html`<p class="help">Click a cell of the matrix, or a word and then its partner: no link, sure, possible, no link.
      <span role="status"> ${(view === "matrix" || changed) && words.source.length && words.target.length
        ? html`<bdi>${Iso.visible(words.source[cursor[0]] || "")}</bdi> – <bdi>${Iso.visible(words.target[cursor[1]] || "")}</bdi>: ${kinds[(at(cursor) || {}).gold] || "no link"}` : ""}</span>
      ${" "}<button type="button" disabled=${edits.has(pair)} onClick=${() => confirm(pair)}>${edits.has(pair) ? "Checked" : "All links are right"}</button>
      ${" "}<button type="button" disabled=${!edits.has(pair)} onClick=${() => discard(pair)}>Discard the changes of this pair</button></p>` : null}
    <div class=${`shown ${isBeside ? "beside" : ""}`} ref=${box}>
    <div class="canvas scroll" tabindex="0" role="region" aria-label="Drawing">
      ${!words.source.length && !words.target.length ? html`<p class="empty">Both sides are empty.</p>`
        : view === "matrix" ? html`<${Iso.Matrix} ...${common} onCell=${edit ? toggle : null} cursor=${cursor} onKey=${onKey} />`
        : html`<${Iso.Curves} ...${common} layout=${layout} />`}
    </div>
    <div class="partners" aria-live="polite">${word ? html`<${Partners} key=${active.side + word} data=${data} side=${active.side} word=${word} set=${set} edits=${edit && edits} />`
      : html`<p class="hint">Point at a word to see its partners; click it to keep them.</p>`}</div></div>
    <p class="line exports"><span>Save the drawing:</span>
      <button type="button" onClick=${() => Iso.download(`${name}.svg`, Iso.svgText(drawing()), "image/svg+xml")}>SVG</button>
      <button type="button" onClick=${() => Iso.savePng(drawing(), `${name}.png`)}>PNG</button>
      <button type="button" onClick=${() => Iso.download(`${name}.tex`, Iso.tikz(words, links), "text/plain")}>TikZ</button>
      <button type="button" onClick=${() => Iso.download(`${name}.txt`, Iso.textGrid(words, links), "text/plain")}>Text</button></p>
  </section>`;
}
