"""The whole pipeline: configuration, stages, folder of the run."""
