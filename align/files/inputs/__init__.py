"""Inputs: files, standard input, object stores and folders of parts, opened and decompressed."""
