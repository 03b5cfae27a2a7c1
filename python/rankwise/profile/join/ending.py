"""How each rank ended, and in one sentence why a profile is partial."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from rankwise.profile.collect.clock import NANOSECONDS, iso
from rankwise.profile.collect.counters import Header
from rankwise.profile.collect.end_note import EndNote, Seen
from rankwise.profile.collect.procedures import Procedure
from rankwise.profile.join.communicators import FIRST
from rankwise.profile.join.current_calls import CurrentCall
from rankwise.profile.join.members import missing_ranks
from rankwise.profile.join.named_ranks import named
from rankwise.profile.join.victims import victims
from rankwise.profile.join.waiting import POLLS_S
from rankwise.records import dataclass

# Local procedures are not recorded, whose error may end the program, nor is what the error handlers do.
OUTSIDE = "outside of recorded MPI calls"
_MOST_PLACES = 3


@dataclass(frozen=True)
class Ending:
    """How one rank ended.

    Attributes:
        header: of its counters.
        inside: the call that it never left; None = none.
        left: the latest call that it left, and the communicator's id in the profile; None = not known.
        latest_ns: its last own heartbeat, nanoseconds since 1970.
        stopped_ns: its end as far as it is known, nanoseconds since 1970.
        seen: what `rankwise run` saw of it; None = nothing.
        is_gone: whether its node's keeper saw that it was gone.
    """

    header: Header
    inside: CurrentCall | None
    left: tuple[Procedure, int] | None
    latest_ns: int
    stopped_ns: int
    seen: Seen | None
    is_gone: bool = False

    @property
    def finished(self) -> bool:
        """Whether it came to the end of MPI_Finalize."""
        return self.header.state == "finalized"

    @property
    def polls(self) -> tuple[Procedure, int] | None:
        """Return the polling call that it repeated up to its end, and on what; None = none."""
        if self.inside:
            call = (self.inside.procedure, self.inside.communicator)
            return call if call[0].polling else None
        recently = 0 < self.stopped_ns - self.latest_ns < POLLS_S * NANOSECONDS
        return self.left if self.left and self.left[0].polling and recently else None

    def row(self) -> tuple[Any, ...]:
        """Return the last columns of the table `ranks`, from `last_call` on."""
        if self.finished:
            return (None,) * 6
        procedure, communicator = (self.left[0].name, self.left[1]) if self.left else (None, None)
        gone = iso(self.stopped_ns) if self.is_gone or (self.seen and self.seen.order) else None
        code = None
        if self.seen and self.seen.wait_status is not None:
            code = os.waitstatus_to_exitcode(self.seen.wait_status)
        return (
            iso(self.latest_ns),
            procedure,
            communicator if communicator is not None and communicator >= FIRST else None,
            gone,
            -code if code is not None and code < 0 else None,
            code if code is not None and code >= 0 else None,
        )


def partial_reason(
    endings: Mapping[int, Ending],
    names: Mapping[int, str],
    size: int,
    *,
    interrupted: str,
    note: EndNote | None,
    exit_status: int | None,
) -> str:
    """Say why not every rank came to the end of MPI_Finalize; '' if every rank did.

    Args:
        endings: by rank, of the ranks that left counters.
        names: of communicators, by id in the profile.
        size: ranks expected.
        interrupted: what ended the launch from the outside, '' if nothing did.
        note: about the end of the job; None = no note.
        exit_status: of the launch; None = unknown.
    """
    unfinished = {rank: ending for rank, ending in endings.items() if not ending.finished}
    missing = size - len(endings)
    if not unfinished and not missing:
        return ""
    clauses = [interrupted] if interrupted else []
    aborted = _aborted(unfinished) or _switched_off(unfinished)
    if not aborted:
        of_ranks = {rank: (ending.header, ending.seen) for rank, ending in unfinished.items()}
        outside = [rank for rank, ending in unfinished.items() if _is_outside(ending)]
        status = None if interrupted else exit_status
        clauses += victims(of_ranks, outside, note, status, all_here=not missing)
    clauses += aborted or _where(unfinished, names, size)
    if missing:
        clauses.append(f"{missing} of {size} ranks left no counters ({missing_ranks(endings, size)})")
    return "; ".join(clauses)


def _headers(endings: Mapping[int, Ending]) -> dict[int, Header]:
    return {rank: ending.header for rank, ending in endings.items()}


def _aborted(endings: Mapping[int, Ending]) -> list[str]:
    """Return the rank that called MPI_Abort: it is the cause, independently of the others."""
    calls: dict[int, list[int]] = defaultdict(list)
    for rank, ending in endings.items():
        if ending.header.state == "aborted":
            calls[ending.header.abort_code].append(rank)
    headers = _headers(endings)
    return [f"{named(ranks, headers)} called MPI_Abort({code})" for code, ranks in calls.items()][:3]


def _switched_off(endings: Mapping[int, Ending]) -> list[str]:
    ranks = [rank for rank, ending in endings.items() if ending.header.state == "switched_off"]
    return [f"Rankwise switched itself off on {named(ranks, _headers(endings))}"] if ranks else []


def _where(endings: Mapping[int, Ending], names: Mapping[int, str], size: int) -> list[str]:
    """Return where ranks ended, the smallest group with a common place first.

    The odd one out is the cause where all others wait in one place; where they don't, the cause is unknown,
    and all places are reported. Of equally small groups, the one outside of MPI comes first: the others
    wait inside.
    """
    if not endings:
        return []
    headers = _headers(endings)
    starting = [rank for rank, header in headers.items() if header.state == "starting"]
    if len(starting) == len(headers):
        return [f"{named(starting, headers)} never returned from MPI_Init"]
    places: dict[str, list[int]] = defaultdict(list)
    for rank, ending in endings.items():
        places[_place(ending, names)].append(rank)
    by_size = sorted(places.items(), key=lambda item: (len(item[1]), item[0] != OUTSIDE, item[1]))
    (place, ranks), *others = by_size[:_MOST_PLACES]
    clause = f"{named(ranks, headers)} ended {place}"
    clause += "".join(f", {named(ranks, headers)} {place}" for place, ranks in others)
    if len(by_size) > _MOST_PLACES:
        clause += (
            f", {named((rank for _, here in by_size[_MOST_PLACES:] for rank in here), headers)} elsewhere"
        )
    return [clause, f"{len(headers)} of {size} ranks did not reach the end of MPI_Finalize"]


def _is_outside(ending: Ending) -> bool:
    return ending.header.state == "running" and ending.inside is None


def _place(ending: Ending, names: Mapping[int, str]) -> str:
    polls = ending.polls
    if polls:
        return f"polling with {_call(*polls, names)}"
    if ending.inside is None:
        return {"starting": "inside MPI_Init", "finalizing": "inside MPI_Finalize"}.get(
            ending.header.state, OUTSIDE
        )
    return f"inside {_call(ending.inside.procedure, ending.inside.communicator, names)}"


def _call(procedure: Procedure, communicator: int, names: Mapping[int, str]) -> str:
    return procedure.name if communicator < FIRST else f"{procedure.name} on {names[communicator]}"
