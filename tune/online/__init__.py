"""Online learning: a few sentences at a time, from lists or with the decoder in the loop."""
