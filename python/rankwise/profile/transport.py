"""What is to be said about the hooks in the MPI library's transport that see messages inside collectives."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from rankwise.profile.counters import Header
from rankwise.profile.members import compact

_SENTENCES = {
    "refused": "messages inside collectives were not seen",
    "stopped": "messages inside collectives were seen only at first",
}


def transport_warnings(headers: Mapping[int, Header]) -> list[str]:
    """Say whose hook was refused or stopped, and whether the ranks differ: a sentence for all that are alike.

    Args:
        headers: by rank, in the order of the ranks.
    """
    alike: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for rank, header in headers.items():
        if header.state != "starting":  # hooks come with MPI_Init
            alike[header.transport_state, header.transport, header.transport_note].append(rank)
    sentences = []
    for (state, transport, note), ranks in alike.items():
        who = "" if len(alike) == 1 else f" on {_ranks(ranks)}"
        why = ": ".join(part for part in (transport, note) if part)
        if state in _SENTENCES:
            sentences.append(f"{_SENTENCES[state]}{who}" + (f" ({why})" if why else ""))
    kinds = {(state, transport) for state, transport, _ in alike}
    if len(kinds) > 1:
        told = "; ".join(
            f"{_ranks([rank for key, ranks in alike.items() if key[:2] == kind for rank in ranks])}:"
            f" {kind[0]}" + (f" ({kind[1]})" if kind[1] else "")
            for kind in sorted(kinds)
        )
        sentences.append(f"the ranks do not see messages inside collectives alike ({told})")
    return sentences


def _ranks(ranks: list[int]) -> str:
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {compact(sorted(ranks))}"
