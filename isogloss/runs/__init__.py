"""What runs of the pipeline and of tuning share: settings, folder, epochs, time and memory."""
