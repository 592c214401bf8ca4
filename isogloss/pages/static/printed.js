"use strict";
// What is printed: how many pairs these are, and the first of them one below the other, in the view that is chosen.

const MOST_PRINTED = 200, PRINTED_WIDTH = 660, PRINTED_HEIGHT = 900, PRINTED_SCALE = 0.7; // pixels of a page between its margins

// Which pairs are on paper, of those that pass the filters and of all.
Iso.printedText = function (selected, all) {
  const number = (count) => count.toLocaleString("en"), cut = selected > MOST_PRINTED ? `first ${number(MOST_PRINTED)} of ` : "";
  return selected === all ? `${cut}${plural(all, "pair")}` : `${cut}${plural(selected, "selected pair")}; ${number(all)} in all`;
};

function PrintedPair({ data, pair, state, edits, edit }) {
  const none = { unlinked: { source: new Set(), target: new Set() }, partners: null, active: null };
  const words = { source: data.words("source", pair), target: data.words("target", pair) };
  const links = Iso.linksOf(data, pair, state.threshold, edit && edits);
  const common = { data, pair, words, links, colors: state.colors, state: none, onWord: () => {} };
  if (state.view === "matrix") {
    const { width, height } = Iso.layoutMatrix(words);
    return html`<${Iso.Matrix} ...${common} scale=${Math.min(PRINTED_SCALE, PRINTED_WIDTH / width, PRINTED_HEIGHT / height)} />`;
  }
  const rows = Iso.layoutRows(words), fits = rows.width * PRINTED_SCALE <= PRINTED_WIDTH;
  const layout = fits && state.view !== "columns" ? rows : Iso.layoutColumns(words);
  return html`<${Iso.Curves} ...${common} layout=${layout} scale=${PRINTED_SCALE} />`;
}

function Printed({ data, selected, state, edits, edit }) {
  return html`<div class="printed" ref=${(box) => box && Iso.drawDashes(box)}>
    <p class="count">Printed: ${Iso.printedText(selected.length, data.size)}</p>
    <${Legend} data=${data} colors=${state.colors} />${[...selected.slice(0, MOST_PRINTED)].map((pair) => html`
      <section key=${pair}><h2>${data.meta.numbering} ${data.line[pair]}</h2>
        <${PrintedPair} data=${data} pair=${pair} state=${state} edits=${edits} edit=${edit} /></section>`)}</div>`;
}

function usePrinting() {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const on = () => setPrinting(true), off = () => setPrinting(false);
    addEventListener("beforeprint", on); addEventListener("afterprint", off);
    return () => { removeEventListener("beforeprint", on); removeEventListener("afterprint", off); };
  }, []);
  return printing;
}
