"""Why a profile is partial, in one sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rankwise.profile.communicators import FIRST, Communicator
from rankwise.profile.counters import Header
from rankwise.profile.inside import Inside
from rankwise.profile.members import compact

_OUTSIDE = "outside of MPI calls"


def partial_reason(
    headers: Mapping[int, Header],
    insides: Mapping[int, Inside | None],
    communicators: Mapping[int, Communicator],
    size: int,
    interrupted: str,
) -> str:
    """Say why not every rank came to the end of MPI_Finalize; '' if every rank did.

    Args:
        headers: by rank, of the ranks that left counters.
        insides: by rank, the calls never left.
        communicators: by id in the profile.
        size: ranks expected.
        interrupted: what ended the launch from the outside, '' if nothing.
    """
    unfinished = {rank: header for rank, header in headers.items() if header.state != "finalized"}
    missing = size - len(headers)
    if not unfinished and not missing:
        return ""
    clauses = [interrupted] if interrupted else []
    clauses += (
        _aborted(unfinished) or _switched_off(unfinished) or _where(unfinished, insides, communicators, size)
    )
    if missing:
        clauses.append(f"{missing} of {size} ranks left no counters")
    return "; ".join(clauses)


def _aborted(headers: Mapping[int, Header]) -> list[str]:
    """Tell who called MPI_Abort: the one that did is the cause, whatever the others were doing."""
    calls: dict[int, list[int]] = defaultdict(list)
    for rank, header in headers.items():
        if header.state == "aborted":
            calls[header.abort_code].append(rank)
    return [f"{_ranks(ranks, headers)} called MPI_Abort({code})" for code, ranks in calls.items()][:3]


def _switched_off(headers: Mapping[int, Header]) -> list[str]:
    ranks = [rank for rank, header in headers.items() if header.state == "switched_off"]
    return [f"Rankwise switched itself off on {_ranks(ranks, headers)}"] if ranks else []


def _where(
    headers: Mapping[int, Header],
    insides: Mapping[int, Inside | None],
    communicators: Mapping[int, Communicator],
    size: int,
) -> list[str]:
    """Tell where ranks ended, of the smallest group that ended in one place: the odd one out is the cause.

    Of groups equally small, the one outside of MPI: the others wait for it inside.
    """
    if not headers:
        return []
    starting = [rank for rank, header in headers.items() if header.state == "starting"]
    if len(starting) == len(headers):
        return [f"{_ranks(starting, headers)} never returned from MPI_Init"]
    places: dict[str, list[int]] = defaultdict(list)
    for rank, header in headers.items():
        places[_place(header, insides[rank], communicators)].append(rank)
    place, ranks = min(places.items(), key=lambda item: (len(item[1]), item[0] != _OUTSIDE, item[1]))
    return [
        f"{_ranks(ranks, headers)} ended {place}",
        f"{len(headers)} of {size} ranks did not reach the end of MPI_Finalize",
    ]


def _place(header: Header, inside: Inside | None, communicators: Mapping[int, Communicator]) -> str:
    if inside is None:
        return {"starting": "inside MPI_Init", "finalizing": "inside MPI_Finalize"}.get(
            header.state, _OUTSIDE
        )
    if inside.communicator < FIRST:
        return f"inside {inside.procedure}"
    return f"inside {inside.procedure} on {communicators[inside.communicator].name}"


def _ranks(ranks: Iterable[int], headers: Mapping[int, Header]) -> str:
    numbers = sorted(ranks)
    if len(numbers) > 1:
        return f"ranks {compact(numbers)}"
    host = headers[numbers[0]].host
    return f"rank {numbers[0]} ({host})" if host else f"rank {numbers[0]}"
