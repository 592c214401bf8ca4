"""Learners that ask examples for hope, fear and expectations, on lists and on forests alike."""
