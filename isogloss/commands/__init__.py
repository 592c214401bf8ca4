"""The commands of the program, each in a module of its own, its options beside it."""
