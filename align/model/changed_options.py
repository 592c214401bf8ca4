"""Options that show what differs from their defaults."""

from dataclasses import fields

__all__ = ["ShowsChanges"]


class ShowsChanges:
    """Base of dataclasses (``repr=False``) whose repr has the fields with other values alone."""

    def __repr__(self) -> str:
        changed = [
            f"{option.name}={value!r}"
            for option in fields(self)  # type: ignore[arg-type]
            if (value := getattr(self, option.name)) != option.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"
