"""Where processes had to keep their counters while they ran, if not where they should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rankwise.profile.counters import Header

_WHERE = {
    "tmpdir": "in TMPDIR: /dev/shm had no room",
    "anonymous": "in memory without a name: neither /dev/shm nor TMPDIR had room",
}


def memory_sentences(headers: Mapping[int, Header]) -> list[str]:
    """Say of how many ranks the counters were elsewhere: there they may be slow, or lost with their process.

    Args:
        headers: by rank.
    """
    found = Counter(header.memory for header in headers.values())
    return [
        f"the counters of {found[memory]} rank{'' if found[memory] == 1 else 's'} were {where}"
        for memory, where in _WHERE.items()
        if found[memory]
    ]
