"use strict";
// The viewer: filters, a list of the pairs that pass them, and what is saved of them.

const ROW = 62; // height of a row of the list in pixels
const DEFAULTS = {
  source: "", target: "", case: false, domain: "", minAer: "", maxConfidence: "", minWords: "", maxWords: "",
  minUnlinked: "", differs: false, sort: "line", line: 0, threshold: 0, view: "auto", colors: "", link: null,
}; // line: number of the chosen pair; 0: none is named, and the first of the list is shown

// --- the state in the fragment of the address

Iso.readLink = function (text) {
  let link = null;
  try { link = JSON.parse(text); } catch { return null; }
  const isLink = link !== null && typeof link === "object" && typeof link.word === "string" && typeof link.partner === "string";
  return isLink ? link : null;
};

Iso.readFragment = function (defaults, fragment) {
  const state = { ...defaults };
  for (const [name, text] of new URLSearchParams(fragment.slice(1))) {
    if (!(name in defaults)) continue;
    if (name === "link") state.link = Iso.readLink(text);
    else if (typeof defaults[name] === "boolean") state[name] = text === "true";
    else if (name === "line") state.line = Number(text) >= 1 ? Math.trunc(Number(text)) : 0;
    else if (typeof defaults[name] === "number") state[name] = Number(text) || 0;
    else state[name] = text;
  }
  return state;
};

Iso.writeFragment = function (state, defaults) {
  const fragment = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) {
    if (value !== defaults[name]) fragment.set(name, name === "link" ? JSON.stringify(value) : String(value));
  }
  history.replaceState(null, "", `#${fragment}`);
};

// --- corrected links, kept in this browser until they are downloaded

Iso.editsKey = (meta) => `isogloss-${meta.fingerprint}`;
Iso.loadEdits = function (meta) {
  try {
    const stored = JSON.parse(localStorage.getItem(Iso.editsKey(meta)) || "[]");
    return new Map(stored.map(([pair, links]) => [pair, new Map(links)]));
  } catch { return new Map(); }
};
Iso.storeEdits = function (meta, edits) {
  try {
    localStorage.setItem(Iso.editsKey(meta), JSON.stringify([...edits].map(([pair, links]) => [pair, [...links]])));
  } catch { /* no storage in this browser: links stay in the page */ }
};

// --- parts of the page

const Percent = ({ value }) => (100 * value).toFixed(2);

function Field({ label, name, state, set, type = "text", list, ...more }) {
  return html`<label class="field"><span>${label}</span>
    <input type=${type} value=${state[name]} onInput=${(event) => set({ [name]: event.target.value })} ...${more} /></label>`;
}

function Check({ label, name, state, set }) {
  return html`<label class="check"><input type="checkbox" checked=${state[name]}
    onChange=${(event) => set({ [name]: event.target.checked })} /> ${label}</label>`;
}

function Filters({ data, state, set, error, defaults }) {
  const { meta } = data, sorts = Object.entries(Iso.MEASURES).filter(([, { needs }]) =>
    !needs || (needs === "scores" ? meta.scored.links : needs in data.links));
  return html`<form class="filters" onSubmit=${(event) => event.preventDefault()} role="search" aria-label="Pairs">
    <div class="line">
      <${Field} label=${`Search ${meta.names.source}`} name="source" state=${state} set=${set} type="search"
        id="search-source" spellcheck=${false} aria-invalid=${!!error.source} />
      <${Field} label=${`Search ${meta.names.target}`} name="target" state=${state} set=${set} type="search"
        spellcheck=${false} aria-invalid=${!!error.target} />
      <${Choice} label="Sort" name="sort" state=${state} set=${set} options=${sorts.map(([value, { name }]) => [value, name])} />
      ${meta.domains.length > 1 ? html`<${Choice} label="Domain of the pair" name="domain" state=${state} set=${set}
        options=${[["", "all"], ...meta.domains.map((name) => [name, name])]} />` : null}
    </div>
    ${error.text ? html`<p class="error" role="alert">${error.text}</p>` : null}
    <details><summary>More filters</summary><div class="line">
      ${data.links.gold ? html`<${Field} label="AER at least, %" name="minAer" state=${state} set=${set} type="number" min="0" max="100" />` : null}
      ${meta.scored.links ? html`<${Field} label="Mean confidence at most" name="maxConfidence" state=${state} set=${set} type="number" min="0" max="1" step="0.05" />` : null}
      <${Field} label="Words at least" name="minWords" state=${state} set=${set} type="number" min="0" />
      <${Field} label="Words at most" name="maxWords" state=${state} set=${set} type="number" min="0" />
      <${Field} label="Unlinked words at least" name="minUnlinked" state=${state} set=${set} type="number" min="0" />
      ${data.links.other ? html`<${Check} label="Only pairs that differ" name="differs" state=${state} set=${set} />` : null}
      <${Check} label="Match case" name="case" state=${state} set=${set} />
      <button type="button" onClick=${() => set({ ...defaults, line: state.line })}>Clear</button>
    </div></details>
    ${state.link ? html`<p class="link-filter">Pairs in which <bdi><b>${Iso.visible(state.link.word)}</b></bdi> is linked to
      ${" "}${state.link.otherwise ? "another word than " : ""}<bdi><b>${Iso.visible(state.link.partner)}</b></bdi>
      ${" "}<button type="button" onClick=${() => set({ link: null })}>Remove</button></p>` : null}
  </form>`;
}

// AER, precision and recall of totals.
function Scores({ id, label, totals }) {
  const { aer, precision, recall } = Iso.scores(totals);
  return html`<p id=${id}>${label} AER <b><${Percent} value=${aer} /></b>
    ${" "}precision <b><${Percent} value=${precision} /></b>
    ${" "}recall <b><${Percent} value=${recall} /></b></p>`;
}

function Summary({ data, figures, selected, search, state, set }) {
  const { gold, other } = data.links, { totals } = figures, count = selected.length, isPart = count > 0 && count < data.loaded;
  const shown = useMemo(() => gold && isPart && Iso.totalsOf(figures, selected), [figures, selected]);
  const { names } = data.meta, named = (name) => name ? html` (<bdi>${Iso.visible(name)}</bdi>)` : "";
  return html`<div class="summary">
    <p role="status" aria-busy=${!search.isDone}>${count.toLocaleString("en")} of ${data.size.toLocaleString("en")} pairs
      ${data.loaded < data.size ? ` (${Math.round(100 * data.loaded / data.size)} % read)`
        : search.isDone ? "" : ` (${Math.round(100 * search.upTo / data.size)} % searched)`}</p>
    ${gold ? html`<${Scores} id="scores" label=${shown ? "all:" : ""} totals=${totals} />` : null}
    ${shown ? html`<${Scores} id="shown-scores" label="shown:" totals=${shown} />` : null}
    ${other ? html`<p>Links of A${named(names.links)} ${totals.links.toLocaleString("en")}, of B${named(names.other)} ${totals.other.toLocaleString("en")},
      of both ${totals.both.toLocaleString("en")}</p>` : null}
    ${data.meta.scored.links ? html`<label class="field threshold"><span>Threshold
      ${" "}<output>${(state.threshold / 1000).toFixed(2)}</output></span>
      <input type="range" min="0" max="1000" step="10" value=${state.threshold}
        onInput=${(event) => set({ threshold: Number(event.target.value) })} /></label>` : null}
  </div>`;
}

function Row({ data, figures, pair, place, count, chosen, checked, state, choose }) {
  const measure = Iso.MEASURES[state.sort], column = figures[measure && measure.column || state.sort];
  const value = !column || state.sort === "line" ? ""
    : ["aer", "difference"].includes(state.sort) ? `${(100 * column[pair]).toFixed(0)} %`
    : state.sort === "confidence" ? confidenceText(column[pair]) : String(column[pair]);
  return html`<div id=${`pair-${pair}`} role="option" class=${chosen ? "row chosen" : "row"} aria-selected=${chosen}
      aria-posinset=${place + 1} aria-setsize=${count} style=${{ top: `${place * ROW}px`, height: `${ROW}px` }}
      onClick=${() => choose(pair)}>
    <span class="number">${data.line[pair]}${checked ? html` <span role="img" aria-label="checked">✓</span>` : null}${data.domain ? html`<span class=${`badge domain-${data.domain[pair] % 8}`}>${data.meta.domains[data.domain[pair]]}</span>` : null}
      ${value ? html`<span class="value">${value}</span>` : null}</span>
    <span class="text" dir="auto">${Iso.visible(data.source[pair].slice(0, 300)) || "(empty)"}</span>
    <span class="text" dir="auto">${Iso.visible(data.target[pair].slice(0, 300)) || "(empty)"}</span>
  </div>`;
}

function List({ data, figures, selected, chosen, edits, state, choose }) {
  const box = useRef(null), [top, setTop] = useState(0), [height, setHeight] = useState(600);
  const place = useMemo(() => selected.indexOf(chosen), [selected, chosen]);
  useEffect(() => {
    const observer = new ResizeObserver(() => box.current && setHeight(box.current.clientHeight));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const { line, view, colors, threshold, ...asked } = state, question = JSON.stringify(asked), before = useRef(question);
  useEffect(() => { // what was asked for is at the top, else the chosen row is in sight
    const element = box.current;
    if (before.current !== question) {
      before.current = question;
      element.scrollTop = 0;
      return;
    }
    if (place < 0 || !state.line) return;
    if (place * ROW < element.scrollTop) element.scrollTop = place * ROW;
    else if ((place + 1) * ROW > element.scrollTop + element.clientHeight) element.scrollTop = (place + 1) * ROW - element.clientHeight;
  }, [state.line, selected]);
  const move = (event) => {
    const page = Math.max(1, Math.floor(height / ROW) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -selected.length, End: selected.length, j: 1, k: -1 }[event.key];
    if (step === undefined || !selected.length) return;
    event.preventDefault();
    choose(selected[Math.max(0, Math.min(selected.length - 1, Math.max(place, 0) + step))]);
  };
  const first = Math.max(0, Math.floor(top / ROW) - 4), last = Math.min(selected.length, Math.ceil((top + height) / ROW) + 4);
  const rows = [];
  for (let k = first; k < last; k++) {
    rows.push(html`<${Row} key=${selected[k]} data=${data} figures=${figures} pair=${selected[k]} place=${k}
      count=${selected.length} chosen=${k === place} checked=${edits.has(selected[k])} state=${state} choose=${choose} />`);
  }
  const shown = place >= first && place < last;
  return html`<div class="list" ref=${box} role="listbox" tabindex="0" aria-label="Sentence pairs" id="pairs"
      aria-activedescendant=${shown ? `pair-${chosen}` : null} onKeyDown=${move}
      onScroll=${(event) => setTop(event.target.scrollTop)}>
    ${selected.length ? html`<div role="presentation" class="rows" style=${{ height: `${selected.length * ROW}px` }}>${rows}</div>`
      : html`<div role="option" aria-selected="false" class="empty">${data.size ? "No pair passes the filters." : "The text is empty: it has no sentence pairs."}</div>`}
  </div>`;
}

const focusOn = (element) => element && element.focus();

// Asks before it discards, because nothing brings the changes back.
function DiscardAll({ edits, discard }) {
  const [asked, setAsked] = useState(false);
  const answer = (all) => { if (all) discard(null); setAsked(false); };
  if (!asked) return html`<button key="ask" type="button" disabled=${!edits.size} onClick=${() => setAsked(true)}>Discard all changes</button>`;
  return html`<span role="alert">Discard the changes of ${edits.size.toLocaleString("en")} pair${edits.size === 1 ? "" : "s"}?</span>
    <button key="discard" type="button" onClick=${() => answer(true)}>Discard them</button>
    <button key="keep" type="button" ref=${focusOn} onClick=${() => answer(false)}>Keep them</button>`;
}

function Selection({ data, selected, search, state, edits, edit, discard }) {
  const save = (form, suffix) => Iso.download(`selection.${suffix}`,
    Iso.selectionText(data, selected, state.threshold, form, edit && edits), "text/plain");
  const gold = (form, name) => Iso.download(name, Iso.goldText(data, edits, form), "text/plain");
  return html`<div class="line exports">
    <span>Save the ${selected.length.toLocaleString("en")} pairs${edit ? " as edited" : ""}:</span>
    <button type="button" disabled=${!search.isDone} onClick=${() => save("pharaoh", "links")}>Pharaoh</button>
    <button type="button" disabled=${!search.isDone} onClick=${() => save("jsonl", "jsonl")}>JSON Lines</button>
    ${edit ? html`<button type="button" disabled=${!edits.size} onClick=${() => Iso.download("sample.gold", Iso.sampleText(data, edits), "text/plain")}>Save
        the ${edits.size.toLocaleString("en")} checked pair${edits.size === 1 ? "" : "s"} as a gold sample</button>
      <span>Save all as gold:</span>
      <button type="button" onClick=${() => gold("pharaoh", "gold.links")}>Pharaoh</button>
      <button type="button" onClick=${() => gold("talp", "gold.talp")}>Talp</button>
      <button type="button" onClick=${() => gold("naacl", "gold.wa")}>NAACL</button>
      <${DiscardAll} edits=${edits} discard=${discard} />` : null}
  </div>`;
}

const SLICE = 60, REDRAW = 250; // milliseconds of a search before the page takes other events, and before it shows them

// The pairs that are found so far: a search goes on between other events, and draws the page again. error: of the search
function useSearch(data, version, state, error) {
  const [, redraw] = useState(0), last = useRef(null);
  const search = useMemo(() => {
    if (!error.text || !last.current) last.current = new Iso.Search(data, error.text ? { source: "", target: "" } : state);
    return last.current;
  }, [data, state.source, state.target, state.case, data.isWide.source, data.isWide.target]);
  useMemo(() => search.advance(SLICE), [search, version]);
  useEffect(() => {
    let timer = 0, drawn = performance.now();
    const proceed = () => {
      search.advance(SLICE);
      if (search.isDone || performance.now() - drawn > REDRAW) {
        redraw((number) => number + 1);
        drawn = performance.now();
      }
      if (!search.isDone) timer = setTimeout(proceed);
    };
    if (!search.isDone) timer = setTimeout(proceed);
    return () => clearTimeout(timer);
  }, [search, version]);
  return search;
}

const NEXT = { undefined: "S", S: "P", P: undefined };

function Viewer({ data, version, defaults }) {
  const [state, setState] = useState(() => Iso.readFragment(defaults, location.hash));
  const [edits, setEdits] = useState(() => Iso.loadEdits(data.meta));
  const printing = usePrinting(), set = useCallback((changes) => setState((old) => ({ ...old, ...changes })), []);
  useEffect(() => {
    const follow = (event) => setState(Iso.readFragment(defaults, new URL(event.newURL).hash)); // not what was written since
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => { const timer = setTimeout(() => Iso.writeFragment(state, defaults), 150); return () => clearTimeout(timer); }, [state]);
  useEffect(() => {
    const focus = (event) => {
      if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
        event.preventDefault();
        document.getElementById("search-source").focus();
      }
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const measured = useRef(null), loaded = useMemo(() => {
    measured.current = Iso.measure(data, state.threshold, data.meta.edit ? new Map() : null, measured.current);
    return measured.current;
  }, [data, version, state.threshold]);
  const figures = useMemo(() => Iso.withEdits(loaded, data, state.threshold, edits), [loaded, edits]);
  const error = useMemo(() => {
    for (const side of ["source", "target"]) {
      try { Iso.pattern(state[side], state.case); }
      catch (problem) { return { [side]: true, text: problem.message }; }
    }
    return {};
  }, [state.source, state.target, state.case]);
  const { line, view, colors, ...filters } = state;
  const search = useSearch(data, version, state, error);
  const selected = useMemo(() => Iso.select(data, figures, state, search, data.meta.edit && edits),
    [loaded, JSON.stringify(filters), search, search.upTo]); // but not by edits: what is edited stays where it is
  const choose = (pair) => set({ line: data.line[pair] });
  const change = (update) => setEdits((old) => {
    const changed = new Map(old);
    update(changed);
    Iso.storeEdits(data.meta, changed);
    return changed;
  });
  const edit = data.meta.edit ? (number, key) => {
    choose(number);
    change((changed) => {
      const links = new Map(Iso.goldOf(data, number, changed)), kind = NEXT[links.get(key)];
      kind ? links.set(key, kind) : links.delete(key);
      changed.set(number, links);
    });
  } : null;
  const confirm = (number) => change((changed) => changed.set(number, new Map(Iso.goldOf(data, number, changed))));
  const discard = (number) => change((changed) => number === null ? changed.clear() : changed.delete(number)); // null: all
  const named = state.line ? data.pairOf(state.line) : -1, chosen = !selected.length ? -1 : named < 0 ? selected[0] : named;
  if (printing) return html`<${Printed} data=${data} selected=${selected} state=${state} edits=${edits} edit=${edit} />`;
  return html`<${Filters} data=${data} state=${state} set=${set} error=${error} defaults=${defaults} />
    <${Summary} data=${data} figures=${figures} selected=${selected} search=${search} state=${state} set=${set} />
    <div class=${state.view === "matrix" ? "panes high" : "panes"}><${List} data=${data} figures=${figures} selected=${selected} chosen=${chosen} edits=${edits} state=${state} choose=${choose} />
      ${chosen >= 0 ? html`<${Pair} data=${data} figures=${figures} pair=${chosen} state=${state} set=${set} edits=${edits} edit=${edit} confirm=${confirm} discard=${discard} />`
        : html`<section class="pair" aria-label="Pair"><p class="empty">Nothing to draw.</p></section>`}</div>
    <${Selection} data=${data} selected=${selected} search=${search} state=${state} edits=${edits} edit=${edit} discard=${discard} />`;
}

Iso.startViewer = async function () {
  const root = document.getElementById("viewer"), meta = JSON.parse(document.getElementById("meta").textContent);
  const data = new Iso.Data(meta);
  const colors = meta.edit || meta.links.gold !== undefined ? "gold" : meta.links.other !== undefined ? "agreement"
    : meta.scored.links ? "confidence" : "plain";
  const defaults = { ...DEFAULTS, colors, threshold: 0, view: meta.edit ? "matrix" : "auto" };
  let version = 0;
  const draw = () => render(html`<${Viewer} data=${data} version=${++version} defaults=${defaults} />`, root);
  for (const element of document.querySelectorAll("script.chunk")) {
    data.add(await Iso.unpackColumns(element.textContent));
    element.remove();
    if (data.loaded === data.size || version === 0 || version * 25000 < data.loaded) draw();
  }
  if (!data.size) draw();
  root.dataset.ready = "true";
};

Iso.startViewer().catch((problem) => {
  document.getElementById("viewer").textContent =
    `This page could not be shown: ${problem.message}. It needs a browser of 2023 or later.`;
});
