"""Options of the optimizers, from their dataclasses to the command line and back."""

from dataclasses import fields

import pytest

from isogloss.options import field_lines
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.online.options import ONLINE_OPTIMIZERS
from isogloss.tuning.optimizer_options import optimizer_options


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_option_is_described(name):
    kind = OPTIMIZERS[name].options
    assert {field.name for field in fields(kind)} == set(field_lines(kind))


def test_an_option_means_the_same_for_every_optimizer():
    texts = {}
    for method in OPTIMIZERS.values():
        for name, text in field_lines(method.options).items():
            texts.setdefault(name, set()).add(text)
    assert {} == {name: several for name, several in texts.items() if len(several) > 1}


def test_options_of_the_command_line_become_an_object():
    method = OPTIMIZERS["adagrad-pro"]
    options = optimizer_options(method, {"rate": 0.5, "fixed": ("LM", "W")})
    assert (0.5, ("LM", "W"), ONLINE_OPTIMIZERS["adagrad-pro"].epochs) == (
        options.rate, options.fixed, options.epochs,
    )  # fmt: skip


def test_options_that_do_something() -> None:
    for name, options in (
        ("lp-mert", {"search": "exact", "max_checks": 9, "cosine": 0.5}),
        ("lp-mert", {"beam": 9, "mert": False, "objective": "sentence"}),
        ("sgd", {"update": "arow", "initial_precision": 2.0}),
        ("adagrad-pro", {"loss": "ramp", "gain_scale": 2.0}),
        ("pro", {"bin_regularizer": "monotone", "bin_strength": 2.0, "bin_sharpness": 1.0}),
    ):
        chosen = optimizer_options(OPTIMIZERS[name], options)
        assert options == {key: getattr(chosen, key) for key in options}
    assert OPTIMIZERS["sgd"].defaults == optimizer_options(OPTIMIZERS["sgd"], {})
