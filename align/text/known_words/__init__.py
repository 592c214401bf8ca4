"""Whether the words of a text are those that a model knows."""
