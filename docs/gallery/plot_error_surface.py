"""
The error surface of one weight
===============================

Draw the metric of n-best lists as a function of the weight of one feature.
"""

import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt

import isogloss as ig

warnings.simplefilter("ignore", ig.DataWarning)  # the decoder leaves out features that are 0
bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
table = ig.extract(bitext, ig.train(bitext).align(bitext))
decoder = ig.Decoder(table, ig.estimate_language_model(bitext.target, order=3))

# %%
# Here the lists come from the built-in decoder. Lists of any other system can also be used.

with TemporaryDirectory() as folder, Path(folder, "lists.jsonl").open("w+") as file:
    for number, words in enumerate(ig.read_sentences("data/tune.en")[:100]):
        hypotheses = [
            {"text": hypothesis.text, "features": dict(hypothesis.features)}
            for hypothesis in decoder.nbest(words, nbest_size=30)
        ]
        file.write(json.dumps({"id": number, "hyps": hypotheses}) + "\n")
    file.flush()
    lists = ig.read_nbest(file.name)
references = ig.References.from_sentences(ig.read_sentences("data/tune.es.ref0")[:100])
examples = ig.Examples.from_nbest(lists, references, "bleu")

# %%
# Between two steps, the best hypotheses do not change, so the metric is constant.

result = ig.tune_nbest(examples, "mert")
ig.plot.surface(examples, result.weights, "LM0")
plt.show()
