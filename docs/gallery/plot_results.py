"""
Results against other tools
===========================

Draw the figures of :doc:`/results` and :doc:`/reproductions` from the tables of these pages.
"""

import sys

import matplotlib.pyplot as plt

sys.path.append("../figures")
import results


def draw(*names):
    """Draw the figures of these names."""
    for name in names:
        tables, _ = results.tables_of(results.FIGURES[name])
        results.FIGURES[name].draw(*tables).tight_layout()
    plt.show()


# %%
# Alignment: error rate, CPU time and the effect of external alignments.

draw("alignment-error", "alignment-time", "external-alignments")

# %%
# Dictionaries, phrase extraction and decoding.

draw("dictionary-confidence", "extraction", "decoding")

# %%
# Tuning: BLEU by CPU time, and the gap between training and held-out sentences.

draw("tuning", "held-out")

# %%
# Domains: labels and domain scores.

draw("domain-labels", "domain-scores")

# %%
# The module ``docs/figures/results.py`` has a function for each figure:
#
# .. literalinclude:: ../figures/results.py
#    :language: python
