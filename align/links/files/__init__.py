"""Files of links: checked against their text."""
