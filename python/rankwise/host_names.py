"""Names of hosts, with a domain and without; an address has none."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"[0-9]+(\.[0-9]+){3}|.*:.*")


def is_address(name: str) -> bool:
    """Whether a host is given by its IP address."""
    return _ADDRESS.fullmatch(name) is not None


def short_name(name: str) -> str:
    """Return the name of a host without its domain.

    >>> short_name("n1.site.org"), short_name("10.0.0.1")
    ('n1', '10.0.0.1')
    """
    return name if is_address(name) else name.partition(".")[0]
