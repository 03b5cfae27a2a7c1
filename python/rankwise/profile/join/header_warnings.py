"""Warnings about a run from the headers of its processes' counters, in sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from rankwise.profile.collect.counters import Header
from rankwise.profile.collect.procedures import PROCEDURES
from rankwise.profile.join.members import compact

LOADED_LATER = "plugins"  # stands for any procedure that a library loaded later calls
_NAMES = {procedure.id: procedure.name for procedure in PROCEDURES}
_MOST_NAMES = 6  # in a sentence
_UNSEEN = {
    "refused": "messages inside collectives were not seen",
    "stopped": "messages inside collectives were seen only at first",
}


def header_warnings(headers: Mapping[int, Header]) -> list[str]:
    """Return warnings about unseen calls, unusual counting, and possible losses.

    Args:
        headers: by rank, in the order of the ranks.
    """
    return [
        *_world_order(headers),
        *_transports(headers),
        *_passed_by(headers),
        *_profiling_names(headers),
        *_memory(headers),
    ]


def passed_by(headers: Collection[Header]) -> list[str]:
    """Return the procedures with objects that may have made calls past Rankwise, sorted by name."""
    names = _NAMES | {0: LOADED_LATER}
    return sorted({names[number] for header in headers for number in header.passed_by if number in names})


def _transports(headers: Mapping[int, Header]) -> list[str]:
    """Return sentences about transport hooks that were refused or stopped, and about ranks that differ."""
    ranks_by_state: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for rank, header in headers.items():
        if header.state != "starting":  # hooks come with MPI_Init
            ranks_by_state[header.transport_state, header.transport, header.transport_note].append(rank)
    sentences = []
    for (state, transport, note), ranks in ranks_by_state.items():
        who = "" if len(ranks_by_state) == 1 else f" on {_ranks(ranks)}"
        why = ": ".join(part for part in (transport, note) if part)
        if state in _UNSEEN:
            sentences.append(f"{_UNSEEN[state]}{who}" + (f" ({why})" if why else ""))
    kinds = {(state, transport) for state, transport, _ in ranks_by_state}
    if len(kinds) > 1:
        states = "; ".join(
            f"{_ranks([rank for key, ranks in ranks_by_state.items() if key[:2] == kind for rank in ranks])}:"
            f" {kind[0]}" + (f" ({kind[1]})" if kind[1] else "")
            for kind in sorted(kinds)
        )
        sentences.append(f"the ranks do not see messages inside collectives alike ({states})")
    return sentences


def _ranks(ranks: list[int]) -> str:
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {compact(sorted(ranks))}"


def _world_order(headers: Mapping[int, Header]) -> list[str]:
    """Say why MPI_COMM_WORLD has no new order; all ranks have the same reason."""
    reasons = (header.world_order_kept for header in headers.values())
    return [f"MPI_COMM_WORLD kept its order: {reason}" for reason in filter(None, reasons)][:1]


def _passed_by(headers: Mapping[int, Header]) -> list[str]:
    """Name the procedures whose calls may be missing: references to them were not redirected in time."""
    names = passed_by(headers.values())
    if not names:
        return []
    ranks = compact(sorted(rank for rank, header in headers.items() if header.passed_by))
    return [f"calls of {', '.join(names)} may be missing (ranks {ranks}): objects made them past Rankwise"]


def _profiling_names(headers: Mapping[int, Header]) -> list[str]:
    """Name the procedures called by ``PMPI_`` names, by programs and tools with wrappers.

    They are counted: a tool's own calls can't be distinguished from those that it forwards for the program.
    """
    numbers = {number for header in headers.values() for number in header.profiling_names}
    names = sorted(f"P{_NAMES[number]}" for number in numbers if number in _NAMES)
    if not names:
        return []
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    # (Several objects may refer to a name, and which of them has called it is not known.)
    callers = sorted({c for header in headers.values() for c in header.profiling_callers.split(", ") if c})
    ranks = compact(sorted(rank for rank, header in headers.items() if header.profiling_names))
    return [
        f"called as {shown} by {' or '.join(callers) or 'an unknown object'} (ranks {ranks}): "
        "what a tool calls there for itself counts as the program's"
    ]


def _memory(headers: Mapping[int, Header]) -> list[str]:
    """Say how many ranks counted in unnamed memory; their counts are lost if all are killed at once."""
    anonymous = sum(header.memory == "anonymous" for header in headers.values())
    if not anonymous:
        return []
    who = f"{anonymous} rank{'' if anonymous == 1 else 's'}"
    return [f"the counters of {who} were in memory without a name: neither /dev/shm nor TMPDIR had room"]
