"""The version of the program, which stands in everything that it stores."""

__version__ = "0.1.0"
