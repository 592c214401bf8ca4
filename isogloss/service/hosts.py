"""Names of machines."""

import re
from ipaddress import ip_address

__all__ = ["host_of", "is_loopback"]

# a header Host: an IPv6 address in brackets, or another name without any, and a port (RFC 3986)
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:]*))(?::[0-9]*)?")


def host_of(header: str) -> str:
    """The machine that a header Host names; "" where it is none."""
    found = _HOST.fullmatch(header)
    return (found[1] or found[2]) if found else ""


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
