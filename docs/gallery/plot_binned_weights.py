"""
The weights of a discretized score
==================================

Draw the weights of a discretized score. Each bin has a weight, so the effect of the score need not
be linear.
"""

import matplotlib.pyplot as plt

import isogloss as ig

bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
table = ig.extract(bitext, ig.train(bitext).align(bitext))

# %%
# All eight bins hold the same number of phrase pairs.

binning = ig.Binning.fit(table, ["p(e|f):3"])
decoder = ig.Decoder(binning.apply(table), ig.estimate_language_model(bitext.target, order=3))
source = ig.read_sentences("data/tune.en")[:60]
references = ig.References.from_sentences(ig.read_sentences("data/tune.es.ref0")[:60])
result = ig.tune_decoder(decoder, source, references, epochs=2)

ig.plot.weights(result.weights, binning)
plt.show()
