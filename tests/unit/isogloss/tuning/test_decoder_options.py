"""Options of an optimizer in the decoder's loop."""

import pytest

from isogloss.align.errors import UsageError
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.online.options import ONLINE_OPTIMIZERS, DecoderTuningOptions, OnlineOptions
from isogloss.tuning.optimizer_options import decoder_tuning_options, loop_options


def test_defaults_of_the_loop() -> None:
    """The paper's rate for its own optimizer only, and fewer epochs than on lists."""
    options = decoder_tuning_options("adagrad-pro", {})
    assert options.rate == OnlineOptions().rate
    assert options.epochs == DecoderTuningOptions().epochs < OnlineOptions().epochs
    assert decoder_tuning_options("ramp", {}).rate == ONLINE_OPTIMIZERS["ramp"].rate


def test_options_that_are_given() -> None:
    options = decoder_tuning_options("adagrad-pro", {"rate": 0.3, "epochs": 2}, nbest_size=7)
    assert (options.rate, options.epochs, options.nbest_size) == (0.3, 2, 7)
    with pytest.raises(
        UsageError, match="--random-walks cannot be used with sgd; it is an option of mert"
    ):
        decoder_tuning_options("sgd", {"random_walks": 3})


def test_defaults_of_the_batch_loop() -> None:
    """As lists, but for what was measured to be better in the loop, and what is given."""
    assert loop_options(OPTIMIZERS["mira"], {}) == OPTIMIZERS["mira"].defaults
    assert loop_options(OPTIMIZERS["pro"], {}).l2 == 0.5 < OPTIMIZERS["pro"].defaults.l2
    assert loop_options(OPTIMIZERS["pro"], {"l2": 7.0}).l2 == 7.0
    assert loop_options(OPTIMIZERS["adagrad-pro"], {}).rate == OnlineOptions().rate
