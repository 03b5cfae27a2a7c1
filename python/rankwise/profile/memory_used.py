"""What is to be said about the memory in which processes counted."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.profile.counters import Header


def memory_sentences(headers: Mapping[int, Header]) -> list[str]:
    """Say how many ranks counted in memory without a name: if all is killed at once, it is gone with them.

    Args:
        headers: by rank.
    """
    found = sum(header.memory == "anonymous" for header in headers.values())
    if not found:
        return []
    who = f"{found} rank{'' if found == 1 else 's'}"
    return [f"the counters of {who} were in memory without a name: neither /dev/shm nor TMPDIR had room"]
