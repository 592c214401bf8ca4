"""Lists of others as records of JSON, and records as they were given."""
