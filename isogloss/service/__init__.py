"""`isogloss serve`: alignment, translation and reranking over HTTP, with models kept in memory."""
