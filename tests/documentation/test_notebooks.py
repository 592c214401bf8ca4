"""A notebook is executed: its cells show small tables and drawings, and text beside them."""

import pytest

from tests.architecture.reading import ROOT

CELLS = {
    "bitext": "Bitext: 6,000 sentence pairs",
    "bitext.select(slice(0, 3))": "Bitext: 3 sentence pairs",
    "links": "Links: 6,000 sentence pairs",
    "model": "AlignmentModel",
    "model.align_pair(bitext.source[0], bitext.target[0])": "<svg",
    "ig.PhraseTable.load('table.gz')": "PhraseTable: 1 rule",
    "lists": "NBest",
    "ig.Weights.from_dict({'<b>LM0</b>': 1.5})": "&lt;b&gt;LM0&lt;/b&gt;",
    "ig.tune_nbest(examples, epochs=2)": "TuningResult",
}
SETUP = f"""
import isogloss as ig
data = {str(ROOT / "data")!r}
bitext = ig.read_bitext(f"{{data}}/train.en.gz", f"{{data}}/train.es.gz")
model = ig.train(bitext, hmm_iterations=1)
links = model.align(bitext)
open("table.gz", "w").write("a ||| b ||| 0.5 0.25 0.125 1\\n")
open("lists", "w").write(
    "0 ||| a b ||| LM0= -1.5 ||| 1\\n0 ||| a ||| LM0= -2 ||| 1\\n1 ||| c ||| LM0= 3 ||| 1\\n"
)
lists = ig.read_nbest("lists")
examples = ig.Examples.from_nbest(lists, ig.References.from_sentences(["a b", "c"]))
"""


@pytest.mark.thorough
def test_a_notebook(tmp_path) -> None:
    client = pytest.importorskip("nbclient", reason="nbclient isn't installed")
    notebooks = pytest.importorskip("nbformat").v4
    pytest.importorskip("ipykernel")
    cells = [notebooks.new_code_cell(text) for text in (SETUP, *CELLS)]
    notebook = notebooks.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(tmp_path)}}
    client.NotebookClient(notebook, kernel_name="python3", resources=resources).execute()
    for cell in notebook.cells[1:]:
        (output,) = [output for output in cell.outputs if output.output_type == "execute_result"]
        html, text = output.data["text/html"], output.data["text/plain"]
        assert CELLS[cell.source] in html
        assert len(html) < 20_000
        assert "<b>LM0" not in html
        assert text.count("\n") < 5
