"""Files: lines of any compression, whole files or none, folders that know what they hold."""
