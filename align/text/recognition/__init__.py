"""What a file is that isn't in the form that was expected: by its first lines, and some others."""
