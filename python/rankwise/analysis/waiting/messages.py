"""Waiting in receives, waits and blocking sends, because the other side was late.

Sums are estimated for each rank, procedure and communicator: the share of waiting in the sample times the
exact time. If the sample has all calls, the sums are exact.
"""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankwise.analysis.percent import percent
from rankwise.analysis.waiting.chains import Chains, chains_in
from rankwise.analysis.waiting.message_sample import (
    NO_STRETCH,
    Exact,
    Key,
    Sample,
    Wait,
    exact_seconds,
    known_waits,
    samples_of,
    scales_of,
)
from rankwise.analysis.waiting.unknown import some_clocks_differ
from rankwise.records import dataclass

if TYPE_CHECKING:
    from rankwise.analysis.waiting.errors import Floats, Sampled

_WHOLE = 0.995  # of the time: a smaller difference is due to the clock's resolution

MOSTLY_CERTAIN = 80.0
"""Percent of the time in receives, waits and blocking sends: with less, screens show the known share."""


@dataclass(frozen=True, kw_only=True)
class RankWaits:
    """The waits of a rank in a procedure on a communicator.

    Attributes:
        rank: world rank.
        host: its node; None = unknown.
        communicator: its name.
        procedure: full name.
        seconds: in these calls, exact.
        certain_seconds: the part of `seconds` in calls with messages known on both sides.
        late_sender_seconds: the part of `certain_seconds` until the sender had posted.
        late_receiver_seconds: the part of `certain_seconds` until the receiver had posted.
        error_seconds: error of the sum of both, by sampling (95 %), by time that the sample does not
            explain, and by the clocks of the nodes; 0.0 = exact.
        sampled: number of calls in the sample.
        certain: number of these with known messages.
    """

    rank: int
    host: str | None
    communicator: str
    procedure: str
    seconds: float
    certain_seconds: float
    late_sender_seconds: float
    late_receiver_seconds: float
    error_seconds: float
    sampled: int
    certain: int

    @property
    def percent_certain(self) -> float:
        """`certain_seconds` in percent of `seconds`."""
        return percent(self.certain_seconds, self.seconds)


@dataclass(frozen=True)
class Caused:
    """The waiting that a rank caused on another rank.

    Attributes:
        rank: that was late.
        waiter: that waited for it.
        late_sender_seconds: waiting for its messages.
        late_receiver_seconds: waiting for its receives.
        passed_on_seconds: the part of both while `rank` was waiting for others.
        waits: number of waits in the sample.
    """

    rank: int
    waiter: int
    late_sender_seconds: float
    late_receiver_seconds: float
    passed_on_seconds: float
    waits: int


@dataclass(frozen=True)
class Origin:
    """The waiting that a rank caused, directly and indirectly.

    Attributes:
        rank: world rank.
        host: its node; None = unknown.
        directly_seconds: direct waiting for this rank.
        origin_seconds: waiting with this rank as root cause: it was late, but not because it waited itself.
        longest_chain: largest number of ranks in a chain of waits that it caused.
        suffered_seconds: its own waiting.
    """

    rank: int
    host: str | None
    directly_seconds: float
    origin_seconds: float
    longest_chain: int
    suffered_seconds: float


@dataclass(frozen=True, kw_only=True)
class MessageWaits:
    """The waiting for messages in a run.

    Attributes:
        seconds: in receives, waits and blocking sends, summed over all ranks.
        percent_certain: percent of `seconds` in calls with messages known on both sides.
        late_sender_seconds: estimate, summed over all ranks.
        late_receiver_seconds: estimate, summed over all ranks.
        error_seconds: error of the sum of both, as for `RankWaits`.
        waiting: by rank, procedure and communicator, most waiting first.
        caused: by pairs, most waiting first.
        origins: by rank, largest root cause first.
        clocks_differ: whether some nodes' clocks were not compared, so that waits for messages between them
            are unknown.
    """

    seconds: float
    percent_certain: float
    late_sender_seconds: float
    late_receiver_seconds: float
    error_seconds: float
    waiting: list[RankWaits]
    caused: list[Caused]
    origins: list[Origin]
    clocks_differ: bool = False

    @property
    def is_sampled(self) -> bool:
        """Whether the profile has a sample of these calls."""
        return any(row.sampled for row in self.waiting)


@dataclass
class _PairSums:
    sender: float = 0.0
    receiver: float = 0.0
    passed_on: float = 0.0
    waits: int = 0


def message_waits(connection: sqlite3.Connection, chains: Chains | None = None) -> MessageWaits:
    """Return the waiting in point-to-point communication.

    Args:
        connection: to the profile.
        chains: of the waits in it; computed if not given.

    Raises:
        ValueError: the profile is damaged.
    """
    samples = samples_of(connection, "")
    hosts = dict(connection.execute("SELECT rank, host FROM main.ranks").fetchall())
    names = dict(connection.execute("SELECT id, name FROM communicators").fetchall())
    waiting: list[RankWaits] = []
    exact = exact_seconds(connection, "")
    scales = scales_of(samples, exact)
    doubts: list[Floats] = []
    empty = Sample()
    for key, all_calls in exact.items():
        rank, communicator, procedure = key
        sample = samples.get(key, empty)
        own_doubts = _doubts(sample, all_calls)
        doubts += own_doubts
        waiting.append(
            RankWaits(
                rank=rank,
                host=hosts.get(rank),
                communicator=names[communicator],
                procedure=procedure,
                seconds=all_calls.seconds,
                certain_seconds=sample.known_seconds * scales[key],
                late_sender_seconds=sample.waited(sends=False) * scales[key],
                late_receiver_seconds=sample.waited(sends=True) * scales[key],
                error_seconds=_error(own_doubts),
                sampled=sample.sampled,
                certain=len(sample.waits),
            )
        )
    waiting.sort(key=lambda row: (-row.late_sender_seconds - row.late_receiver_seconds, row.rank))
    caused, origins = _causes(known_waits(samples), chains or chains_in(connection), scales, hosts)
    seconds = math.fsum(row.seconds for row in waiting)
    return MessageWaits(
        seconds=seconds,
        percent_certain=percent(math.fsum(row.certain_seconds for row in waiting), seconds),
        late_sender_seconds=math.fsum(row.late_sender_seconds for row in waiting),
        late_receiver_seconds=math.fsum(row.late_receiver_seconds for row in waiting),
        error_seconds=_error(doubts),
        waiting=waiting,
        caused=caused,
        origins=origins,
        clocks_differ=some_clocks_differ(connection),
    )


# (The functions below import numpy only if there is a sample: loading it takes longer than everything else.)
def _error(doubts: Sequence[Floats]) -> float:
    """Return the error of a sum; 0.0 if nothing was sampled."""
    if not doubts:
        return 0.0
    from rankwise.analysis.waiting.errors import error_of

    return error_of(sum(doubts[1:], doubts[0]))


def _doubts(sample: Sample, exact: Exact) -> list[Floats]:
    """Return the sources of error of estimated waits: sampling (of a ratio), missing time, and clocks."""
    if not sample.seconds:
        return []
    import numpy as np

    from rankwise.analysis.waiting.errors import Sampled, compare, doubts_of

    scale = exact.seconds / sample.seconds
    clocks = np.array([sample.clock_error * scale])
    share = sample.waited() / sample.seconds
    if sample.seconds >= _WHOLE * exact.seconds:
        moments, sampled = (0.0, 0.0), Sampled(np.zeros(1), np.zeros(1))
    else:
        # (If the sample has as many calls as the run, only parts of calls are missing: the time beyond.)
        values = (exact.calls, exact.seconds, sample.effective, sample.seconds, sample.squares)
        sampled = compare(*(np.array([float(value)]) for value in values))
        if sample.effective >= exact.calls:
            sampled = Sampled(*[np.array([exact.seconds - sample.seconds])] * 2)
        moments = _moments(sample, share, scale, sampled)
    return [doubts_of(np.array(moments)[:, None], np.array([share]), sampled, clocks)[:, 0]]


def _moments(sample: Sample, share: float, scale: float, sampled: Sampled) -> tuple[float, float]:
    residuals: defaultdict[int, float] = defaultdict(float)
    for place, wait in enumerate(sample.waits):
        by_itself = wait.stretch == NO_STRETCH
        residuals[-1 - place if by_itself else wait.stretch] += scale * (
            wait.part * wait.waited - share * wait.seconds
        )
    count = len(residuals)
    if count < 2:  # the spread is unknown, so assume the largest
        return float(sampled.unseen[0]) ** 2, 0.0
    from rankwise.analysis.waiting.errors import few_clusters

    factor = (1 - 1 / scale) * count / (count - 1)
    if count < len(sample.waits):
        factor *= few_clusters(count) ** 2
    each = residuals.values()
    return factor * math.fsum(value**2 for value in each), factor**2 * math.fsum(value**3 for value in each)


def _causes(
    waits: list[Wait], chains: Chains, scales: Mapping[Key, float], hosts: Mapping[int, str]
) -> tuple[list[Caused], list[Origin]]:
    pairs: defaultdict[tuple[int, int], _PairSums] = defaultdict(_PairSums)
    origins: defaultdict[int, float] = defaultdict(float)
    longest: defaultdict[int, int] = defaultdict(int)
    for wait in waits:
        if not wait.waited:
            continue
        scale = wait.part * scales.get((wait.rank, *wait.place), 0.0)
        pair = pairs[wait.other, wait.rank]
        pair.waits += 1
        shares = chains.follow(wait.other, wait.began, wait.began + wait.waited, wait.rank)
        for origin, (seconds, steps) in shares.items():
            origins[origin] += seconds * scale
            longest[origin] = max(longest[origin], steps)
        own = shares[wait.other].seconds if wait.other in shares else 0.0
        pair.passed_on += (wait.waited - own) * scale
        if wait.sends:
            pair.receiver += wait.waited * scale
        else:
            pair.sender += wait.waited * scale
    caused = [
        Caused(late, waiter, pair.sender, pair.receiver, pair.passed_on, pair.waits)
        for (late, waiter), pair in pairs.items()
    ]
    caused.sort(key=lambda row: (-row.late_sender_seconds - row.late_receiver_seconds, row.rank, row.waiter))
    directly: defaultdict[int, float] = defaultdict(float)
    suffered: defaultdict[int, float] = defaultdict(float)
    for row in caused:
        seconds = row.late_sender_seconds + row.late_receiver_seconds
        directly[row.rank] += seconds
        suffered[row.waiter] += seconds
    ranks = sorted({*directly, *suffered, *origins})
    rows = [
        Origin(rank, hosts.get(rank), directly[rank], origins[rank], longest[rank], suffered[rank])
        for rank in ranks
    ]
    return caused, sorted(rows, key=lambda row: (-row.origin_seconds, row.rank))
