"""Systems compared: what differs between them by more than chance, and how that is shown."""
