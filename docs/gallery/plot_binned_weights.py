"""
The weights of a discretized score
==================================

A score in bins of uniform population has a weight per bin, so that its effect need not be linear.
"""

import matplotlib.pyplot as plt

import isogloss as ig

bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
table = ig.extract(bitext, ig.train(bitext).align(bitext))

# %%
# Eight bins hold equally many phrase pairs each.

binning = ig.Binning.fit(table, ["p(e|f):3"])
decoder = ig.Decoder(binning.apply(table), ig.estimate_language_model(bitext.target, order=3))
source = ig.read_sentences("data/tune.en")[:60]
references = ig.References.from_sentences(ig.read_sentences("data/tune.es.ref0")[:60])
result = ig.tune_decoder(decoder, source, references, epochs=2)

ig.plot.weights(result.weights, binning)
plt.show()
