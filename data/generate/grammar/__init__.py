"""The synchronous grammar: verbs, phrases, clauses, requests and sentences."""
