"""`python -m isogloss`."""

from .cli import run

run()
