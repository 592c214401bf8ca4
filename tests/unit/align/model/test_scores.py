"""Scores of sentence pairs against the enumeration of all alignments."""

import numpy as np
import pytest

from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.training.train import train
from tests.naive.alignment import enumerated, jump_table, model1_paths, random_bitext, read_sentence


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
@pytest.mark.parametrize("domains", [(), ("law", "med")])
@pytest.mark.parametrize("hmm_iterations", [0, 2])
def test_scores_are_normalized_log_likelihoods(
    domains: tuple[str, ...], hmm_iterations: int
) -> None:
    """Of P(f | e) and P(e | f) per word, where domains add up by P(D); by enumeration."""
    lengths = [(2, 3), (3, 0), (1, 1), (0, 0), (4, 2), (3, 3), (0, 2)]
    bitext = random_bitext(np.random.default_rng(2), lengths)
    if domains:
        bitext = bitext.with_numbered_labels(np.array([0, 0, 1, 1, -1, -1, -1], np.int16), domains)
    options = AlignerOptions(
        hmm_iterations=hmm_iterations, language_model_order=0, shared_jumps=False, final_jumps=True
    )
    model = train(bitext, options=options)
    lexical = model.parameters.lexical_tables(options.lexical_floor)
    jumps, expected = model.parameters.jumps(options), []
    for number, pair in enumerate(lengths):
        values = []
        for side in (0, 1):
            total = 0.0
            for domain, prior in enumerate(np.exp(model.log_prior)):
                if 0 in pair:
                    break
                sentence = read_sentence(bitext, model.index, side, number, lexical, domain)
                if hmm_iterations:
                    table = jump_table(jumps, side, domain)
                    total += prior * np.exp(enumerated(sentence, table).log_likelihood)
                else:
                    total += prior * sum(path.probability for path in model1_paths(sentence))
            values.append(np.log(total) / pair[side] if total else -np.inf)
        expected.append(np.mean(values))
    found = model.scores(bitext)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (found == -np.inf).tolist() == [0 in pair for pair in lengths]
    assert (found[bitext.usable] < 0.0).all()
    np.testing.assert_array_equal(model.scores(bitext, threads=2), found)
