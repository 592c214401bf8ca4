"""Text: words as numbers, sentence pairs, and every form that a bitext comes in."""
