"""Arrays as columns of rows: ragged and sparse rows, rows chosen by number, equality by content."""
