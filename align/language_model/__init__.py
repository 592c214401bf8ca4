"""N-gram language models: estimated, written, read and asked."""
