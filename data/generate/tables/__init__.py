"""The words of the sample, by domain."""
