"""The measurements of a machine, and their file, which gets each line as soon as it is known.

The file has JSON lines. A killed job leaves at most half a line, which is dropped. Names of nodes are not
part of a measurement's key: the next job may have other nodes of the same machine.
"""

from __future__ import annotations

import fcntl
import math
import os
import statistics
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.text.names import library_name
from rankwise.trials.interval import Interval, ratio_interval
from rankwise.tuning.machine.grid import Point, Shape
from rankwise.tuning.racing.race import noise
from rankwise.tuning.racing.store import Store
from rankwise.tuning.settings.rule import Algorithm

VERSION = 1
_MARK = "rankwise_machine"
_ABOUT, _SESSION, _RACED, _HELD, _FAILED = "about", "session", "raced", "held", "failed"
_EFFECT = "effect"


@dataclass(frozen=True)
class Arm:
    """An algorithm in a race.

    Attributes:
        algorithm: that ran.
        ratio: time of the library's own choice / time with it.
        low: of the interval.
        high: of the interval.
        confidence: of the interval.
        faster: whether the race shows that it is faster than the library's own choice.
        dropped: it left the race as another one is faster.
        rejected: why it can't be used; '' if it can.
    """

    algorithm: Algorithm
    ratio: float = 1.0
    low: float = 0.0
    high: float = 0.0
    confidence: float = 0.0
    faster: bool = False
    dropped: bool = False
    rejected: str = ""


@dataclass(frozen=True)
class Raced:
    """A race that is over.

    Attributes:
        point: that was raced.
        default_us: a call with the library's own choice, us.
        arms: the algorithms.
        group: ranks of the launch that took part, as profile.members.compact writes them.
    """

    point: Point
    default_us: float
    arms: tuple[Arm, ...]
    group: str

    def arm(self, algorithm: Algorithm) -> Arm | None:
        """Return an algorithm's arm; None if it was not in the race, or can't be used."""
        return next((arm for arm in self.arms if arm.algorithm == algorithm and not arm.rejected), None)


@dataclass(frozen=True)
class Held:
    """An algorithm measured afresh, together with the library's own choice, twice.

    Attributes:
        point: that was measured.
        algorithm: that ran.
        default: seconds of a call by the library's own choice, in each round.
        chosen: by the algorithm.
        again: by the library's own choice once more.
    """

    point: Point
    algorithm: Algorithm
    default: tuple[float, ...]
    chosen: tuple[float, ...]
    again: tuple[float, ...]

    def interval(self, confidence: float) -> Interval:
        """Of the ratio default / algorithm."""
        return ratio_interval(self.default, self.chosen, confidence)

    def noise(self, confidence: float) -> float:
        """Return the ratio that the library's own choice may have to itself."""
        return noise(ratio_interval(self.default, self.again, confidence))

    @property
    def default_us(self) -> float:
        """Of a call by the library's own choice, us."""
        return 1e6 * statistics.median(self.default)

    @property
    def chosen_us(self) -> float:
        """Of a call by the algorithm, us."""
        return 1e6 * statistics.median(self.chosen)


@dataclass(frozen=True)
class Gain:
    """What an algorithm gains, as logarithms of the ratio default / algorithm.

    Attributes:
        middle: the estimate.
        half: half the width of its interval.
    """

    middle: float
    half: float

    @property
    def low(self) -> float:
        """The ratio at the lower end."""
        return math.exp(self.middle - self.half)

    @property
    def high(self) -> float:
        """The ratio at the upper end."""
        return math.exp(self.middle + self.half)


@dataclass(frozen=True, kw_only=True)
class Launched:
    """A launch that measures, see Results."""

    library: str
    abi: str
    library_path: str
    assumed: tuple[str, ...]
    bitwise: bool
    command: tuple[str, ...]
    hosts: tuple[str, ...]


@dataclass(kw_only=True)
class Results:
    """All that is known of a machine.

    Attributes:
        library: first line of MPI_Get_library_version.
        abi: of the library.
        library_path: its file; '' if it is not known.
        command: the last launch.
        hosts: names of all nodes that were measured on.
        assumed: the assumptions about programs, as in --assume.
        bitwise: whether only algorithms took part that keep the last digits of results.
        raced: by point.
        held: by point and algorithm.
        effects: the same as in `held`, with the library's own file in force, by point and algorithm.
        failed: why points could not be measured.
    """

    library: str = ""
    abi: str = ""
    library_path: str = ""
    command: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    bitwise: bool = False
    raced: dict[Point, Raced] = field(default_factory=dict)
    held: dict[tuple[Point, Algorithm], Held] = field(default_factory=dict)
    effects: dict[tuple[Point, Algorithm], Held] = field(default_factory=dict)
    failed: dict[Point, str] = field(default_factory=dict)

    def confidence(self, of_all: float) -> float:
        """Return the confidence of each interval so that all fresh measurements hold together."""
        return 1 - (1 - of_all) / max(1, len(self.held))

    def gain(self, point: Point, algorithm: Algorithm, confidence: float) -> Gain | None:
        """Return an algorithm's gain at a point; None if it was not measured there, or can't be used.

        Args:
            point: that was measured.
            algorithm: in question.
            confidence: of the interval.
        """
        if held := self.held.get((point, algorithm)):
            interval = held.interval(confidence)
            if not interval.reached:
                return None
            return Gain(
                math.log(interval.ratio),
                math.log(max(interval.high / interval.ratio, interval.ratio / interval.low)),
            )
        raced = self.raced.get(point)
        arm = raced.arm(algorithm) if raced else None
        if not arm or not 0 < arm.confidence < 1:
            return None
        widened = _deviations(confidence) / _deviations(arm.confidence)
        return Gain(math.log(arm.ratio), widened * math.log(max(arm.high / arm.ratio, arm.ratio / arm.low)))


def _deviations(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


class Kept:
    """The file of measurements.

    Attributes:
        path: of the file.
        store: where races keep their rounds.
        results: everything in the file.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        """Read the file.

        Args:
            path: of the file, which need not exist yet.
            read_only: nothing will be added: another call may be measuring.

        Raises:
            RankwiseError: it can't be read, is damaged, or has other contents.
        """
        self.path = path
        try:
            self.store = Store(path, read_only=read_only)
        except OSError as error:
            raise RankwiseError(f"cannot read {path}: {error.strerror}") from None
        self.results = Results()
        about = self.store.records(_ABOUT)
        if self.store.is_empty:
            return
        if not about or about[0].get(_MARK) is None:
            raise RankwiseError(f"{path} holds no measurements of a machine: give another name with -o")
        if about[0][_MARK] != VERSION:
            raise RankwiseError(
                f"{path} is of version {about[0][_MARK]}, and this Rankwise reads version {VERSION}: use the "
                "one that wrote it, or give another name with -o"
            )
        with self._read():
            self._fill(about[0])

    def begin(self, launch: Launched) -> None:
        """Note a launch.

        Raises:
            RankwiseError: the file is for another MPI library, or was measured under other assumptions.
        """
        results, about = self.results, asdict(launch)
        session = {name: about.pop(name) for name in ("command", "hosts")}
        if self.store.is_empty:
            self._add(_ABOUT, {_MARK: VERSION, **about})
        elif results.library != launch.library:
            raise RankwiseError(
                f"{self.path} was measured with {library_name(results.library)}, and the launch has "
                f"{library_name(launch.library)}: give another name with -o"
            )
        elif (results.assumed, results.bitwise) != (launch.assumed, launch.bitwise):
            raise RankwiseError(
                f"{self.path} was measured with {_options(results.assumed, bitwise=results.bitwise)}: give "
                "the same, or another name with -o"
            )
        self._add(_SESSION, session)
        with self._read():
            self._fill(about)

    def add_raced(self, raced: Raced) -> None:
        """Keep a race that is over."""
        self._add(_RACED, asdict(raced))
        self.results.raced[raced.point] = raced
        self.results.failed.pop(raced.point, None)

    def add_held(self, held: Held) -> None:
        """Keep a fresh measurement."""
        self._add(_HELD, asdict(held))
        self.results.held[held.point, held.algorithm] = held

    def add_effect(self, held: Held) -> None:
        """Keep a measurement with the library's own file in force."""
        self._add(_EFFECT, asdict(held))
        self.results.effects[held.point, held.algorithm] = held

    def add_failed(self, point: Point, why: str) -> None:
        """Note that a point can't be measured; another call tries again."""
        self._add(_FAILED, {"point": asdict(point), "why": why})
        self.results.failed[point] = why

    def _add(self, key: str, record: Mapping[str, Any]) -> None:
        try:
            self.store.add(key, record)
        except OSError as error:
            raise RankwiseError(
                f"{self.path} can't be written: {error.strerror}; all that it holds is kept, and the same "
                "command continues from there",
                1,
            ) from None

    def _fill(self, about: Mapping[str, Any]) -> None:
        results, sessions = self.results, self.store.records(_SESSION)
        results.library, results.abi = str(about["library"]), str(about["abi"])
        results.library_path, results.bitwise = str(about["library_path"]), bool(about["bitwise"])
        results.assumed = tuple(map(str, about["assumed"]))
        results.hosts = tuple(sorted({str(host) for session in sessions for host in session["hosts"]}))
        results.command = tuple(map(str, sessions[-1]["command"])) if sessions else ()
        for record in self.store.records(_FAILED):
            results.failed[_point(record["point"])] = str(record["why"])
        for record in self.store.records(_RACED):
            raced = _raced(record)
            results.raced[raced.point] = raced
            results.failed.pop(raced.point, None)
        for key, by_point in ((_HELD, results.held), (_EFFECT, results.effects)):
            for record in self.store.records(key):
                held = _held(record)
                by_point[held.point, held.algorithm] = held

    @contextmanager
    def _read(self) -> Iterator[None]:
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RankwiseError(
                f"{self.path} is damaged: a record lacks a field or has a wrong one ({error}); restore it "
                "from a copy, or move it away to begin anew"
            ) from None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep two calls from measuring into one file.

    Raises:
        RankwiseError: another call measures, or the file can't be written.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise RankwiseError(f"{path} can't be written: {error.strerror}; give another path with -o") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RankwiseError(
                f"another `rankwise tune machine` measures into {path}: wait for its end, or give another "
                "name with -o"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(file)


def _options(assumed: Sequence[str], *, bitwise: bool) -> str:
    given = [f"--assume {','.join(assumed)}"] * bool(assumed) + ["--bitwise"] * bitwise
    return " and ".join(given) or "neither --assume nor --bitwise"


def _point(record: Mapping[str, Any]) -> Point:
    shape = Shape(_whole(record["shape"]["nodes"]), _whole(record["shape"]["per_node"]))
    return Point(str(record["procedure"]), shape, _whole(record["size"]))


def _whole(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a count")
    return value


def _algorithm(record: Mapping[str, Any]) -> Algorithm:
    return Algorithm(str(record["name"]), _whole(record["number"]), _whole(record["segment"]))


def _raced(record: Mapping[str, Any]) -> Raced:
    arms = tuple(
        Arm(**{**arm, "algorithm": _algorithm(arm["algorithm"]), "rejected": str(arm["rejected"])})
        for arm in record["arms"]
    )
    if not all(arm.ratio > 0 for arm in arms):
        raise ValueError("a ratio is not above 0")
    return Raced(_point(record["point"]), float(record["default_us"]), arms, str(record["group"]))


def _held(record: Mapping[str, Any]) -> Held:
    times = {name: tuple(map(float, record[name])) for name in ("default", "chosen", "again")}
    if len({len(rounds) for rounds in times.values()}) != 1 or not all(
        min(rounds) > 0 for rounds in times.values()
    ):
        raise ValueError("a time is missing, or not above 0")
    return Held(_point(record["point"]), _algorithm(record["algorithm"]), **times)
