"""Links as text and JSON: read to keys, written from columns; nothing here knows `Links`."""
