"""Short names of hosts that are still distinct."""

from __future__ import annotations

from collections.abc import Iterable


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return each name without its domain, if all differ then and none is an address."""
    whole = list(dict.fromkeys(names))
    first = [name.partition(".")[0] for name in whole]
    apart = len(set(first)) == len(whole) and all(part and not part.isdecimal() for part in first)
    return dict(zip(whole, first if apart else whole, strict=True))
