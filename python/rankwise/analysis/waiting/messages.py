"""Why receives, waits and blocking sends took so long: the other side came late.

Sums are estimated as the share in the sample of the exact time of the same rank, procedure and
communicator. Where the sample is everything, they are exact.
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

_WHOLE = 0.995  # of the time: what is missing is what the clock lacks

MOSTLY_CERTAIN = 80.0
"""Percent of the time in receives, waits and blocking sends: with less it is said how much is known."""


@dataclass(frozen=True, kw_only=True)
class RankWaits:
    """The waits of a rank in a procedure on a communicator.

    Attributes:
        rank: world rank.
        host: its node; None = not known.
        communicator: its name.
        procedure: full name.
        seconds: in these calls, exact.
        certain_seconds: of them in calls whose messages are known on both sides.
        late_sender_seconds: of these, until the sender had posted.
        late_receiver_seconds: until the receiver had.
        error_seconds: how far the sum of both may be off, by the sampling (95 %), by time that the sample
            does not explain, and by the clocks of the nodes; 0.0 = it is exact.
        sampled: calls in the sample.
        certain: of them, known.
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
        """Of the time, what is known."""
        return percent(self.certain_seconds, self.seconds)


@dataclass(frozen=True)
class Caused:
    """What a rank made another one wait.

    Attributes:
        rank: that came late.
        waiter: that waited for it.
        late_sender_seconds: for its messages.
        late_receiver_seconds: for its receives.
        passed_on_seconds: of both, while it was waiting for others itself.
        waits: in the sample.
    """

    rank: int
    waiter: int
    late_sender_seconds: float
    late_receiver_seconds: float
    passed_on_seconds: float
    waits: int


@dataclass(frozen=True)
class Origin:
    """How long others waited because of a rank, whomever they waited for themselves.

    Attributes:
        rank: world rank.
        host: its node; None = not known.
        directly_seconds: waits for this rank.
        origin_seconds: waits that began with it: it was late, and not because it waited for others.
        longest_chain: how many ranks waited one for the other because of it.
        suffered_seconds: its own waits.
    """

    rank: int
    host: str | None
    directly_seconds: float
    origin_seconds: float
    longest_chain: int
    suffered_seconds: float


@dataclass(frozen=True, kw_only=True)
class MessageWaits:
    """All of it.

    Attributes:
        seconds: in receives, waits and blocking sends, of all ranks.
        percent_certain: of it, in calls whose messages are known on both sides.
        late_sender_seconds: estimate.
        late_receiver_seconds: estimate.
        error_seconds: how far the sum of both may be off, likewise.
        waiting: by rank, procedure and communicator, the longest waits first.
        caused: by pairs, the longest waits first.
        origins: by rank, who made the others wait the longest first.
        clocks_differ: whether there are nodes whose clocks were not compared: of what is sent between those
            nothing is certain.
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
    """Return who waited for whom in point-to-point communication.

    Args:
        connection: to the profile.
        chains: of the waits in it, if they are known already.

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
    for key, every in exact.items():
        rank, communicator, procedure = key
        sample = samples.get(key, empty)
        own_doubts = _doubts(sample, every)
        doubts += own_doubts
        waiting.append(
            RankWaits(
                rank=rank,
                host=hosts.get(rank),
                communicator=names[communicator],
                procedure=procedure,
                seconds=every.seconds,
                certain_seconds=sample.known_seconds * scales[key],
                late_sender_seconds=sample.waited(sends=False) * scales[key],
                late_receiver_seconds=sample.waited(sends=True) * scales[key],
                error_seconds=_error(own_doubts),
                sampled=sample.sampled,
                certain=len(sample.waits),
            )
        )
    waiting.sort(key=lambda row: (-row.late_sender_seconds - row.late_receiver_seconds, row.rank))
    caused, origins = _who_caused(known_waits(samples), chains or chains_in(connection), scales, hosts)
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


# (What they need is imported where there is a sample: loading numpy takes longer than the rest of it all.)
def _error(doubts: Sequence[Floats]) -> float:
    """Return by how much a sum may be wrong: 0.0 = nothing of it was sampled."""
    if not doubts:
        return 0.0
    from rankwise.analysis.waiting.errors import error_of

    return error_of(sum(doubts[1:], doubts[0]))


def _doubts(sample: Sample, exact: Exact) -> list[Floats]:
    """Return what makes estimated waits wrong: the sampling (of a ratio), what it lacks, and the clocks."""
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
        # (Where as many calls are there as in all, parts of them are missing: their time is what is beyond.)
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
    if count < 2:  # nothing tells how the others differ: all that is possible
        return float(sampled.unseen[0]) ** 2, 0.0
    from rankwise.analysis.waiting.errors import few_clusters

    factor = (1 - 1 / scale) * count / (count - 1)
    if count < len(sample.waits):
        factor *= few_clusters(count) ** 2
    each = residuals.values()
    return factor * math.fsum(value**2 for value in each), factor**2 * math.fsum(value**3 for value in each)


def _who_caused(
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
