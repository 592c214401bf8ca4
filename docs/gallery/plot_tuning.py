"""
Epochs of a tuning run
======================

Draw the metric on the training sentences and the number of active features, epoch by epoch.
"""

import matplotlib.pyplot as plt

import isogloss as ig

bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
table = ig.extract(bitext, ig.train(bitext).align(bitext))
decoder = ig.Decoder(table, ig.estimate_language_model(bitext.target, order=3))
source = ig.read_sentences("data/tune.en")[:60]
references = ig.References.from_sentences(ig.read_sentences("data/tune.es.ref0")[:60])

# %%
# Each epoch translates the tuning set and updates the weights after each batch of sentences.

result = ig.tune_decoder(decoder, source, references, epochs=2)
ig.plot.tuning(result)
plt.show()
