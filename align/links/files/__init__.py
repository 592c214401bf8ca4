"""Files of links: checked against their text, and in the form of Scripture Burrito."""
