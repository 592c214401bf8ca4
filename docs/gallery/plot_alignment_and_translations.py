"""
One word in four domains
========================

Draw a sentence pair with its alignment, and the translations of its ambiguous word by domain.
"""

import matplotlib.pyplot as plt

import isogloss as ig

bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz", labels="data/train.labels.gz")
model = ig.train(bitext)
source, target = "the judge read the trial record .", "el juez leyó el acta del juicio ."
pair = model.align_pair(source, target)
translations = model.translations("record", top=4)
domains = [name for name in model.domains if name != "out"]

# %%
# Each link joins a source word and a target word. *record* is linked to *acta*, its translation in
# the legal domain. The other domains translate *record* differently.

figure, (above, below) = plt.subplots(2, figsize=(8, 5), height_ratios=(2, 3), layout="constrained")
colors = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]


def positions(words):
    """The center of each word on a line of length 1."""
    widths = [len(word) + 2 for word in words]
    return [(sum(widths[:k]) + width / 2) / sum(widths) for k, width in enumerate(widths)]


source_words, target_words = source.split(), target.split()
source_x, target_x = positions(source_words), positions(target_words)
for link in pair.links:
    special = link.source == "record"
    above.plot(
        (source_x[link.source_position], target_x[link.target_position]), (1, 0),
        color=colors[2] if special else "0.6", linewidth=2.5 if special else 1.2,
    )  # fmt: skip
for words, places, height, side in (
    (source_words, source_x, 1.06, "bottom"), (target_words, target_x, -0.06, "top"),
):  # fmt: skip
    for word, place in zip(words, places, strict=True):
        weight = "bold" if word in ("record", "acta") else "normal"
        above.text(place, height, word, ha="center", va=side, weight=weight, size=12)
above.set_ylim(-0.4, 1.4)
above.set_title(f"P({pair.domain}) = {pair.domains[pair.domain]:.2f}", loc="right", size=11)
above.axis("off")

shares = translations.probability
for row, word in enumerate(translations.words):
    heights = [shares[row][model.domains.index(name)] for name in domains]
    below.bar(
        [k + 0.2 * row - 0.3 for k in range(len(domains))], heights, 0.19, color=colors[row],
        label=word,
    )  # fmt: skip
below.set_xticks(range(len(domains)), domains, size=12)
below.set_ylabel("P(translation | record, domain)")
below.spines[["top", "right"]].set_visible(False)
below.legend(frameon=False, ncols=4, loc="upper left", bbox_to_anchor=(0, 1.12))
plt.show()
