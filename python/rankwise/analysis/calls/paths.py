"""Call paths to the call sites: their shares, estimated from a sample.

A call is in the sample with a known probability. It represents w calls, the inverse of this probability, and
w t seconds, where t is its time. Source: Horvitz and Thompson, Journal of the American Statistical
Association 47, 1952. A share s is a ratio of two such sums. Its variance follows from the residuals:
w t (1 - s) for calls on the path, w t s for the others. The interval is Wilson's (ibid. 22, 1927) for the
number of independent calls with the same variance: it does not extend below 0, and it is not empty if all
calls in the sample have the same path.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field

from rankwise.analysis.calls.places import Place, places_of_frames, places_of_sites
from rankwise.analysis.calls.totals import JOIN_PROCEDURES, Totals, totals_by
from rankwise.records import dataclass

_Z = 1.96  # 95 %
WHOLE, MORE, CUT, PYTHON, UNKNOWN = "whole", "more", "cut", "python", "unknown"


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval, in percent."""

    percent: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """The larger half of the interval."""
        return max(self.high - self.percent, self.percent - self.low)


@dataclass(frozen=True)
class Frame:
    """The place where a function on the call path was called, as in `Place`."""

    name: str
    path: str
    library: str
    is_program: bool
    function: str | None
    file: str | None
    line: int | None
    offset: int | None

    @classmethod
    def of(cls, place: Place) -> Frame:
        """Return the same as data."""
        return cls(place.name, **place._asdict())


@dataclass(frozen=True, kw_only=True)
class PathRow:
    """The calls of a procedure at a place along one call path. Calls and seconds are estimates.

    Attributes:
        site: this and the next fields as in `SiteRow`.
        frames: where the site's function was called, then where that caller was called, and so on.
        ends: whole = at the beginning of the program or a thread; more = further frames are not kept;
            cut = the stack could not be followed; python = the interpreter calls the last function;
            unknown = no room was left for the path.
        share_of_calls: of the calls of the procedure at this place.
        share_of_time: of the time of the procedure at this place.
        samples: number of calls in the sample with this path.
        ranks: number of ranks with such calls in their samples.
    """

    site: str
    path: str
    library: str
    is_program: bool
    function: str | None
    file: str | None
    line: int | None
    offset: int | None
    procedure: str
    frames: list[Frame]
    ends: str
    calls: float
    seconds: float
    percent_of_mpi: float
    share_of_calls: Share
    share_of_time: Share
    samples: int
    ranks: int

    @property
    def functions(self) -> list[str]:
        """The names of the functions, from the site outwards; a place for each unknown function."""
        return [self.function or self.site, *(frame.function or frame.name for frame in self.frames)]


@dataclass(frozen=True)
class Caller:
    """A caller of a place in a library: in the program, or else in another library.

    A function with a known name is preferred, if the path from the caller has one.

    Attributes:
        frame: the call.
        share: of the time at the place in the library.
    """

    frame: Frame
    share: Share


@dataclass(frozen=True, kw_only=True)
class Branch:
    """The calls of one procedure at one place that share their innermost callers, up to this caller.

    Attributes:
        frame: where this caller calls the previous caller; None: no further caller is known or exists.
        ends: why there is no frame, as in `PathRow`; '' = there is a frame.
        share_of_calls: as in `PathRow`.
        share_of_time: as in `PathRow`.
        samples: as in `PathRow`.
        callers: of the frame's function, most time first; empty if all paths begin with this function.
    """

    frame: Frame | None
    ends: str
    share_of_calls: Share
    share_of_time: Share
    samples: int
    callers: list[Branch]


@dataclass(frozen=True)
class CallTree:
    """The callers of a place, as a tree.

    Attributes:
        samples: number of calls in the sample.
        callers: as in `Branch`, from the inside out.
        caller: the first result of the function `callers`, else the direct caller with the most time; None:
            unknown.
    """

    samples: int
    callers: list[Branch]
    caller: Caller | None


@dataclass
class _Sums:
    samples: int = 0
    ranks: int = 0
    calls: float = 0.0
    seconds: float = 0.0
    calls_spread: float = 0.0
    seconds_spread: float = 0.0

    def add(self, numbers: Iterable[float]) -> None:
        samples, ranks, calls, seconds, calls_spread, seconds_spread = numbers
        self.samples += int(samples)
        self.ranks = max(self.ranks, int(ranks))
        self.calls += calls
        self.seconds += seconds
        self.calls_spread += calls_spread
        self.seconds_spread += seconds_spread


@dataclass
class _Ways:
    """All call paths to a place: sums by frames and end, and sums over all paths."""

    ways: dict[tuple[tuple[Place, ...], str], _Sums] = field(default_factory=lambda: defaultdict(_Sums))
    all: _Sums = field(default_factory=_Sums)


def paths(connection: sqlite3.Connection) -> list[PathRow]:
    """Return each call path to each place and procedure, most time first; empty if no path is known."""
    ways_by_place = _ways(connection)
    if not ways_by_place:
        return []
    rows = []
    totals = _totals(connection)
    for (place, procedure), ways in ways_by_place.items():
        exact = totals.get((place, procedure), Totals())
        for (frames, ends), sums in ways.ways.items():
            of_calls, of_time = _shares(sums, ways.all)
            rows.append(
                PathRow(
                    site=place.name,
                    **place._asdict(),
                    procedure=procedure,
                    frames=[Frame.of(frame) for frame in frames],
                    ends=ends,
                    calls=exact.calls * of_calls.percent / 100,
                    seconds=exact.seconds * of_time.percent / 100,
                    percent_of_mpi=exact.percent_of_mpi * of_time.percent / 100,
                    share_of_calls=of_calls,
                    share_of_time=of_time,
                    samples=sums.samples,
                    ranks=sums.ranks,
                )
            )
    return sorted(rows, key=lambda row: (-row.seconds, row.site, row.procedure))


def callers(connection: sqlite3.Connection) -> dict[tuple[Place, str], list[Caller]]:
    """Return the callers of each procedure at each place in a library, most time first."""
    return {
        (place, procedure): callers_of_place
        for (place, procedure), ways in _ways(connection).items()
        if (callers_of_place := _callers(place, ways))
    }


def callers_of(connection: sqlite3.Connection, place: Place, procedures: Collection[str]) -> list[Caller]:
    """Return the callers of some procedures at a place, most time first; empty for a place in the program."""
    total = _Ways()
    for (where, procedure), ways in _ways(connection).items():
        if where == place and procedure in procedures:
            for key, sums in ways.ways.items():
                total.ways[key].add(vars(sums).values())
            total.all.add(vars(ways.all).values())
    return _callers(place, total)


def call_trees(connection: sqlite3.Connection) -> dict[tuple[Place, str], CallTree]:
    """Return the callers of each place and procedure with a known path."""
    return {(place, procedure): _tree(place, ways) for (place, procedure), ways in _ways(connection).items()}


def _tree(place: Place, ways: _Ways) -> CallTree:
    branches = _branches([(frames, ends, sums) for (frames, ends), sums in ways.ways.items()], ways.all)
    first = next((Caller(branch.frame, branch.share_of_time) for branch in branches if branch.frame), None)
    callers_of_place = _callers(place, ways)
    return CallTree(ways.all.samples, branches, callers_of_place[0] if callers_of_place else first)


def _branches(ways: list[tuple[tuple[Place, ...], str, _Sums]], whole: _Sums) -> list[Branch]:
    """Return the first callers of some paths, or why a path has none, with their shares of a whole."""
    by_caller: dict[Place | str, list[tuple[tuple[Place, ...], str, _Sums]]] = defaultdict(list)
    for frames, ends, sums in ways:
        by_caller[frames[0] if frames else ends].append((frames[1:], ends, sums))
    if by_caller.keys() == {WHOLE}:
        return []
    branches = []
    for first, further in by_caller.items():
        total = _Sums()
        for *_, sums in further:
            total.add(vars(sums).values())
        of_calls, of_time = _shares(total, whole)
        branches.append(
            Branch(
                frame=None if isinstance(first, str) else Frame.of(first),
                ends=first if isinstance(first, str) else "",
                share_of_calls=of_calls,
                share_of_time=of_time,
                samples=total.samples,
                callers=[] if isinstance(first, str) else _branches(further, whole),
            )
        )
    return sorted(branches, key=lambda branch: -branch.share_of_time.percent)


def _callers(place: Place, ways: _Ways) -> list[Caller]:
    if place.is_program:
        return []
    sums: dict[Place, _Sums] = defaultdict(_Sums)
    for (frames, _), path_sums in ways.ways.items():
        caller = _caller(place, frames)
        if caller is not None:
            sums[caller].add(vars(path_sums).values())
    callers = [
        Caller(Frame.of(caller), _shares(path_sums, ways.all)[1]) for caller, path_sums in sums.items()
    ]
    return sorted(callers, key=lambda row: -row.share.percent)


def _caller(place: Place, frames: tuple[Place, ...]) -> Place | None:
    """Return the innermost call of the program, or else the outermost call outside of the place's library.

    If its function has no name, or if the known path ends before it, return the outermost call on the path
    from there whose function has a name.
    """
    numbers = range(len(frames))
    chosen = next((number for number in numbers if frames[number].is_program), None)
    if chosen is None:
        chosen = next((number for number in reversed(numbers) if frames[number].path != place.path), None)
    known = frames if chosen is None else frames[: chosen + 1]
    named = next((frame for frame in reversed(known) if frame.function), None)
    return named or (frames[chosen] if chosen is not None else None)


def _totals(connection: sqlite3.Connection) -> dict[tuple[Place, str], Totals]:
    """Return the exact sums of each place and procedure."""
    places = places_of_sites(connection)
    totals_by_place: dict[tuple[Place, str], Totals] = defaultdict(Totals)
    for (site, procedure), totals in totals_by(connection, "calls.site, procedures.name", JOIN_PROCEDURES):
        totals_by_place[places.get(site, Place()), procedure] += totals
    return totals_by_place


def _ways(connection: sqlite3.Connection) -> Mapping[tuple[Place, str], _Ways]:
    ways_by_place: dict[tuple[Place, str], _Ways] = defaultdict(_Ways)
    rows = connection.execute(
        "SELECT site, name, frames, ends, samples, ranks, calls, seconds, calls_spread, seconds_spread"
        " FROM paths JOIN procedures ON procedures.id = procedure ORDER BY paths.id"
    ).fetchall()
    if not rows:
        return ways_by_place
    sites, frames = places_of_sites(connection), places_of_frames(connection)
    for site, procedure, through, ends, *numbers in rows:
        way = tuple(frames[int(number)] for number in through.split(",") if number)
        ways = ways_by_place[sites[site], procedure]
        ways.ways[way, ends].add(numbers)
        ways.all.add(numbers)
    return ways_by_place


def _shares(part: _Sums, whole: _Sums) -> tuple[Share, Share]:
    """Return the shares of calls and of time."""
    return (
        _share(part.calls, part.calls_spread, whole.calls, whole.calls_spread),
        _share(part.seconds, part.seconds_spread, whole.seconds, whole.seconds_spread),
    )


def _share(part: float, spread: float, whole: float, whole_spread: float) -> Share:
    """Return the share of a part, from the sums and their variances."""
    if whole <= 0:
        return Share(0.0, 0.0, 100.0)
    share = min(part / whole, 1.0)
    if whole_spread <= 0:  # all calls are in the sample
        return Share(100 * share, 100 * share, 100 * share)
    # If few of the calls, or nearly all, are on the path, the variance is underestimated.
    number = whole**2 / whole_spread
    variance = (spread * (1 - share) ** 2 + max(whole_spread - spread, 0.0) * share**2) / whole**2
    if variance > 0 and 0 < share < 1:
        number = min(number, share * (1 - share) / variance)
    middle = (share + _Z**2 / (2 * number)) / (1 + _Z**2 / number)
    half = _Z * math.sqrt(share * (1 - share) / number + (_Z / (2 * number)) ** 2) / (1 + _Z**2 / number)
    return Share(100 * share, 100 * max(middle - half, 0.0), 100 * min(middle + half, 1.0))
