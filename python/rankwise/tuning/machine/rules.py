"""From measurements to rules: proven ones, predicted ones, and where nothing is sure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple

from rankwise.errors import RankwiseError
from rankwise.text.units import number_of
from rankwise.tuning.cells.cell import Traits
from rankwise.tuning.machine.decide import Decision, decide
from rankwise.tuning.machine.grid import Point, Scope, Shape, scopes
from rankwise.tuning.machine.model import FARTHEST, Line, is_power_of_two
from rankwise.tuning.machine.results import Gain, Held, Results
from rankwise.tuning.settings.rule import Algorithm, Evidence, Raced, Rule

ASSUMED = {"commutative": "not_commutative", "not-in-place": "in_place"}
"""Assumptions about programs, and the trait that each rules out."""

_WHOLE = -1
"""Stands for the size of rules for all sizes."""

_STEPS = 8  # between two sizes that were measured


def traits_of(assumed: Iterable[str]) -> Traits:
    """Return the possible traits of programs' calls."""
    known = {ASSUMED[assumption]: False for assumption in assumed}
    return Traits(True, known.get("not_commutative", True), True, known.get("in_place", True))


@dataclass(frozen=True)
class Made:
    """A rule, and where it comes from.

    Attributes:
        rule: as the library gets it.
        shapes: of the communicators that it was measured or predicted for.
        kind: 'measured', 'predicted' or 'extrapolated'.
    """

    rule: Rule
    shapes: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Unsure:
    """A place where the library's own choice stays because too little is known.

    Attributes:
        what: such as `Allreduce of 4 KiB on 2 x 16`.
        why: in a few words.
    """

    what: str
    why: str


@dataclass
class Table:
    """The rules for a machine.

    Attributes:
        rules: by collective, number of processes and size.
        unsure: where an algorithm may be better, but is not proven or predicted to be.
        decisions: for all measured scopes.
        confidence: of each interval.
    """

    rules: list[Made] = field(default_factory=list)
    unsure: list[Unsure] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    confidence: float = 0.0


@dataclass(frozen=True)
class _Context:
    """A communicator that a rule is for.

    Attributes:
        shape: of it.
        kind: see Made.
        gain: of an algorithm with messages of a size; None: unknown.
        default_us: a call by the library's own choice with messages of a size.
    """

    shape: Shape
    kind: str
    gain: Callable[[Algorithm, int], Gain | None]
    default_us: Callable[[int], float]


@dataclass(frozen=True)
class _Position:
    """A size, and the algorithm for its messages.

    Attributes:
        size: bytes.
        algorithm: None: the library's own choice.
        is_known: whether this size was measured.
        gain: predicted for the weakest context in which the algorithm is better.
        default_us: in that context.
    """

    size: int
    algorithm: Algorithm | None = None
    is_known: bool = False
    gain: Gain | None = None
    default_us: float = 0.0


def table(
    results: Results, confidence: float, margin: float, predicted: Sequence[int] | None = None
) -> Table:
    """Return the rules that follow from the measurements.

    Args:
        results: the measurements.
        confidence: of all intervals together.
        margin: gain that a rule must have, such as 0.03.
        predicted: numbers of nodes (of ranks, if one node was measured) to predict; None: the numbers between
            the measured ones.
    """
    return _Making(results, results.confidence(confidence), margin).table(predicted)


class _Making:
    def __init__(self, results: Results, confidence: float, margin: float) -> None:
        self._results, self._confidence, self._margin = results, confidence, margin
        self._table = Table(confidence=confidence)
        points = list(results.raced)
        self._shapes = sorted({point.shape for point in points})
        self._traits = traits_of(results.assumed)
        procedures = sorted({point.procedure for point in points})
        sizes = sorted({point.size for point in points})
        made, _ = scopes(procedures, self._shapes, sizes, self._traits) if points else ([], [])
        for scope in made:
            there = tuple(point for point in scope.points if point in results.raced)
            if there:
                kept = Scope(there, scope.whole, scope.traits)
                self._table.decisions.append(decide(kept, results, confidence, margin))
        order = sorted(
            self._table.decisions, key=lambda decision: (decision.scope.procedure, decision.scope.processes)
        )
        self._table.decisions = order

    def table(self, predicted: Sequence[int] | None) -> Table:
        for (_, processes), group in groupby(
            self._table.decisions, key=lambda decision: (decision.scope.procedure, decision.scope.processes)
        ):
            self._measured(processes, list(group))
        for decision in self._table.decisions:
            if decision.is_unsure:
                self._table.unsure.append(Unsure(decision.scope.text, decision.why))
        shapes = self._predicted_shapes(predicted)
        for procedure in sorted({decision.scope.procedure for decision in self._table.decisions}):
            for processes, several in shapes.items():
                self._predict(procedure, processes, several)
        self._table.rules.sort(key=lambda made: (made.rule.procedure, made.rule.processes, made.rule.low))
        return self._table

    def _measured(self, processes: int, decisions: Sequence[Decision]) -> None:
        scope = decisions[0].scope
        shapes = list(dict.fromkeys(point.shape for decision in decisions for point in decision.scope.points))
        if scope.whole:
            self._add_measured(decisions, 0, None)
            return
        contexts = [self._context(scope.procedure, shape) for shape in shapes]
        accepted = {decision.scope.size: decision.algorithm for decision in decisions}
        by_size = {decision.scope.size: decision for decision in decisions}
        for group in _groups(self._positions(accepted, contexts)):
            known = [position.size for position in group if position.is_known]
            if not known:
                self._add_predicted(scope.procedure, processes, group, contexts)
                continue
            head = [position for position in group if position.size < known[0]]
            tail = [position for position in group if position.size > known[-1]]
            self._add_predicted(scope.procedure, processes, head, contexts, high=known[0] - 1)
            self._add_predicted(scope.procedure, processes, tail, contexts, low=known[-1] + 1)
            self._add_measured([by_size[size] for size in known], known[0], known[-1])

    def _context(self, procedure: str, shape: Shape) -> _Context:
        """Return a measured communicator, with its gains between the measured sizes."""
        sizes = sorted(
            point.size
            for point in self._results.raced
            if (point.procedure, point.shape) == (procedure, shape)
        )
        lines: dict[Algorithm, Line] = {}

        def gain(algorithm: Algorithm, size: int) -> Gain | None:
            if algorithm not in lines:
                lines[algorithm] = Line(self._gains(procedure, shape, sizes, algorithm))
            return _inside(lines[algorithm], size)

        times = {size: self._results.raced[Point(procedure, shape, size)].default_us for size in sizes}
        return _Context(shape, "predicted", gain, lambda size: _time(times, size))

    def _gains(
        self, procedure: str, shape: Shape, sizes: Iterable[int], algorithm: Algorithm
    ) -> dict[int, Gain]:
        gains = {
            size: self._results.gain(Point(procedure, shape, size), algorithm, self._confidence)
            for size in sizes
        }
        return {size: gain for size, gain in gains.items() if gain}

    def _positions(
        self,
        accepted: Mapping[int, Algorithm | None],
        contexts: Sequence[_Context],
        *,
        are_known: bool = True,
    ) -> Iterator[_Position]:
        """Yield the algorithm for each size: the measured sizes, and some between."""
        sizes = sorted(accepted)
        for size, following in pairwise([*sizes, 0]):
            yield self._best(size, [accepted[size]], contexts, is_known=are_known)
            if not following:
                return
            around = [accepted[size], accepted[following]]
            for between in _between(size, following):
                yield self._best(between, around, contexts)

    def _best(
        self,
        size: int,
        algorithms: Iterable[Algorithm | None],
        contexts: Sequence[_Context],
        *,
        is_known: bool = False,
    ) -> _Position:
        """Return the best of some algorithms for messages of a size."""
        better: list[tuple[float, _Position]] = []
        for algorithm in dict.fromkeys(algorithms):
            if algorithm is None:
                continue
            weakest = self._weakest(algorithm, size, contexts)
            if is_known:
                return _Position(size, algorithm, is_known=True)
            if weakest:
                middle, gain, context = weakest
                better.append((middle, _Position(size, algorithm, False, gain, context.default_us(size))))
        return max(better, key=lambda pair: pair[0])[1] if better else _Position(size, is_known=is_known)

    def _weakest(
        self, algorithm: Algorithm, size: int, contexts: Sequence[_Context]
    ) -> tuple[float, Gain, _Context] | None:
        """Return an algorithm's mean gain, and the weakest context in which it is better; None: in none."""
        gains = [(context.gain(algorithm, size), context) for context in contexts]
        known = [(gain, context) for gain, context in gains if gain]
        if len(known) < len(contexts) or any(gain.low <= 1 / (1 + self._margin) for gain, _ in known):
            return None
        better = [pair for pair in known if pair[0].low > 1 + self._margin]
        if not better:
            return None
        gain, context = min(better, key=lambda pair: pair[0].low)
        return sum(each.middle for each, _ in known) / len(known), gain, context

    def _add_measured(self, decisions: Sequence[Decision], low: int, high: int | None) -> None:
        proven = [decision for decision in decisions if decision.algorithm and decision.weakest]
        if not proven:
            return
        scope = proven[0].scope
        weakest = min(
            (decision.weakest for decision in proven if decision.weakest),
            key=lambda held: held.interval(self._confidence).low,
        )
        points = [point for decision in proven for point in decision.scope.points]
        algorithm = proven[0].algorithm
        assert algorithm is not None
        rule = Rule(
            scope.procedure,
            scope.processes,
            low,
            high,
            algorithm,
            _evidence(weakest, self._confidence),
            tuple(self._raced(points)),
        )
        shapes = tuple(dict.fromkeys(point.shape.text for point in points))
        self._table.rules.append(Made(rule, shapes, "measured"))

    def _raced(self, points: Sequence[Point]) -> Iterator[Raced]:
        """Yield the calls that a rule was measured with, so weighted that all sizes take the same time."""
        shapes = len({point.shape for point in points})
        times = {point: self._results.raced[point].default_us for point in points}
        by_size = {point.size: times[point] for point in points}
        longest = max(by_size.values())
        for point in points:
            calls = max(1, round(longest / (by_size[point.size] or longest)))
            yield Raced(point.size, calls, 1 / shapes, 0, (self._results.raced[point].group,))

    def _add_predicted(
        self,
        procedure: str,
        processes: int,
        group: Sequence[_Position],
        contexts: Sequence[_Context],
        *,
        low: int | None = None,
        high: int | None = None,
    ) -> None:
        """Add a rule for adjacent positions; from `low` or up to `high`, if given."""
        known = [position for position in group if position.gain]
        if not known or known[0].algorithm is None:
            return
        weakest = min(known, key=lambda position: position.gain.low if position.gain else math.inf)
        rule = Rule(
            procedure,
            processes,
            group[0].size if low is None else low,
            group[-1].size if high is None else high,
            known[0].algorithm,
            self._guessed(weakest.gain, weakest.default_us),
        )
        self._note_predicted(rule, contexts)

    def _note_predicted(self, rule: Rule, contexts: Sequence[_Context]) -> None:
        kind = "extrapolated" if any(context.kind == "extrapolated" for context in contexts) else "predicted"
        shapes = tuple(dict.fromkeys(context.shape.text for context in contexts))
        self._table.rules.append(Made(rule, shapes, kind))

    def _guessed(self, gain: Gain | None, default_us: float) -> Evidence | None:
        if gain is None:
            return None
        ratio = math.exp(gain.middle)
        return Evidence(default_us, default_us / ratio, ratio, gain.low, gain.high, self._confidence, 0)

    def _predicted_shapes(self, wanted: Sequence[int] | None) -> dict[int, list[Shape]]:
        """Return the shapes to predict, none of them measured, by their number of processes."""
        measured = {shape.processes for shape in self._shapes}
        shapes_of: dict[int, list[Shape]] = {}
        for line in _lines(self._shapes):
            numbers = line.numbers
            between = range(numbers[0], numbers[-1] + 1) if len(numbers) > 1 else []
            for number in between if wanted is None else wanted:
                shape = line.shape(number)
                if shape.processes in measured or shape.processes < 2:
                    continue
                if line.is_near(number):
                    shapes_of.setdefault(shape.processes, []).append(shape)
                else:
                    self._table.unsure.append(Unsure(shape.text, "too far from what was measured so far"))
        return shapes_of

    def _predict(self, procedure: str, processes: int, shapes: Sequence[Shape]) -> None:
        decisions = [decision for decision in self._table.decisions if decision.scope.procedure == procedure]
        measured = {point.shape for decision in decisions for point in decision.scope.points}
        around = [pair for shape in shapes if (pair := _neighbours(shape, measured))]
        if len(around) < len(shapes):
            return
        candidates = _proven_around(decisions, around)
        if not any(algorithm for several in candidates.values() for algorithm in several):
            return
        what = f"{procedure.removeprefix('MPI_')} on {number_of(processes, 'rank')}"
        line = {
            measured_shape
            for measured_shape in self._shapes
            if any(_same_line(measured_shape, shape) for shape in shapes)
        }
        if not is_power_of_two(processes) and all(
            is_power_of_two(measured_shape.processes) for measured_shape in line
        ):
            why = "only powers of two were measured, for which algorithms may take other ways"
            self._table.unsure.append(Unsure(what, why))
            return
        contexts = [self._predicted_context(procedure, shape) for shape in shapes]
        before = len(self._table.rules)
        if _WHOLE in candidates:
            sizes = sorted({point.size for decision in decisions for point in decision.scope.points})
            self._predict_whole(procedure, processes, sizes, candidates[_WHOLE], contexts)
        else:
            accepted = {
                size: self._best(size, several, contexts).algorithm for size, several in candidates.items()
            }
            for group in _groups(self._positions(accepted, contexts, are_known=False)):
                self._add_predicted(procedure, processes, group, contexts)
        if len(self._table.rules) == before:
            self._table.unsure.append(Unsure(what, "what was measured around it varies too much"))

    def _predict_whole(
        self,
        procedure: str,
        processes: int,
        sizes: Sequence[int],
        candidates: Iterable[Algorithm | None],
        contexts: Sequence[_Context],
    ) -> None:
        """Add a rule for all sizes, if an algorithm is predicted to be better at one and worse at none."""
        at_sizes = [
            replace(
                context, gain=partial(_at, context.gain, size), default_us=partial(_at_size, context, size)
            )
            for context in contexts
            for size in sizes
        ]
        for algorithm in dict.fromkeys(candidates):
            if algorithm and (weakest := self._weakest(algorithm, 0, at_sizes)):
                _, gain, context = weakest
                evidence = self._guessed(gain, context.default_us(0))
                self._note_predicted(Rule(procedure, processes, 0, None, algorithm, evidence), contexts)
                return

    def _predicted_context(self, procedure: str, shape: Shape) -> _Context:
        """Return a communicator that was not measured, by others with as many ranks a node."""
        measured = [measured_shape for measured_shape in self._shapes if _same_line(measured_shape, shape)]
        sizes = sorted({point.size for point in self._results.raced if point.procedure == procedure})
        over_sizes: dict[Algorithm, Line] = {}

        def gain(algorithm: Algorithm, size: int) -> Gain | None:
            if algorithm not in over_sizes:
                line_of = {
                    of_size: self._over_processes(procedure, measured, of_size, algorithm)
                    for of_size in sizes
                }
                gains = {of_size: line.at(shape.processes) for of_size, line in line_of.items()}
                over_sizes[algorithm] = Line({of_size: at for of_size, at in gains.items() if at})
            return _inside(over_sizes[algorithm], size)

        def default_us(size: int) -> float:
            times = {
                measured_shape.processes: _time(of_size, size)
                for measured_shape in measured
                if (
                    of_size := {
                        point.size: raced.default_us
                        for point, raced in self._results.raced.items()
                        if (point.procedure, point.shape) == (procedure, measured_shape)
                    }
                )
            }
            return _time(times, shape.processes)

        numbers = [measured_shape.processes for measured_shape in measured]
        inside = min(numbers) < shape.processes < max(numbers)
        return _Context(shape, "predicted" if inside else "extrapolated", gain, default_us)

    def _over_processes(
        self, procedure: str, shapes: Sequence[Shape], size: int, algorithm: Algorithm
    ) -> Line:
        gains = {
            shape.processes: self._results.gain(Point(procedure, shape, size), algorithm, self._confidence)
            for shape in shapes
        }
        return Line({processes: gain for processes, gain in gains.items() if gain})


def _at(
    gain: Callable[[Algorithm, int], Gain | None], size: int, algorithm: Algorithm, _: int
) -> Gain | None:
    return gain(algorithm, size)


def _at_size(context: _Context, size: int, _: int) -> float:
    return context.default_us(size)


def _proven_around(
    decisions: Iterable[Decision], around: Iterable[tuple[Shape, Shape]]
) -> dict[int, list[Algorithm | None]]:
    """Return the algorithms that are proven on both sides of a prediction, by size; _WHOLE: of all."""
    chosen: dict[int, dict[int, Algorithm | None]] = {}
    for decision in decisions:
        size = _WHOLE if decision.scope.whole else decision.scope.size
        chosen.setdefault(size, {})[decision.scope.processes] = decision.algorithm
    proven: dict[int, list[Algorithm | None]] = {}
    for size, by_processes in sorted(chosen.items()):
        sides = [[by_processes.get(shape.processes) for shape in pair] for pair in around]
        proven[size] = [before for before, after in sides if before == after]
    return proven


class _Numbers(NamedTuple):
    """Shapes that differ only in the number of nodes; on one node, in the number of ranks.

    Attributes:
        per_node: ranks on each node; None: one node.
        numbers: of nodes, or of ranks, ascending.
    """

    per_node: int | None
    numbers: list[int]

    def shape(self, number: int) -> Shape:
        """Return the shape with a number of nodes, or of ranks."""
        return Shape(1, number) if self.per_node is None else Shape(number, self.per_node)

    def is_near(self, number: int) -> bool:
        """Return whether a prediction is possible for a number."""
        return self.numbers[0] / FARTHEST <= number <= self.numbers[-1] * FARTHEST


def _lines(shapes: Iterable[Shape]) -> list[_Numbers]:
    several = sorted(shapes)
    if all(shape.nodes == 1 for shape in several):
        return [_Numbers(None, [shape.per_node for shape in several])] if several else []
    return [
        _Numbers(per_node, [shape.nodes for shape in several if shape.per_node == per_node])
        for per_node in sorted({shape.per_node for shape in several})
    ]


def check_predicted(shapes: Iterable[Shape], wanted: Sequence[int]) -> None:
    """Refuse to predict shapes too far from the measured ones.

    Args:
        shapes: measured, or to be measured.
        wanted: numbers of nodes; of ranks, if all shapes have one node.

    Raises:
        RankwiseError: one of them is too far.
    """
    lines = _lines(shapes)
    for number in wanted:
        if not any(line.is_near(number) for line in lines):
            numbers = sorted({measured for line in lines for measured in line.numbers}) or [0]
            noun = "node" if lines and lines[0].per_node is not None else "rank"
            raise RankwiseError(
                f"--predicted-counts {number}: {numbers[0]} to {number_of(numbers[-1], noun)} are measured,"
                f" and nothing is predicted beyond {round(FARTHEST)} times that: measure there"
            )


def _same_line(shape: Shape, other: Shape) -> bool:
    """Return whether two shapes differ only in the number of nodes, or in the ranks on a single node."""
    return shape.per_node == other.per_node or shape.nodes == other.nodes == 1


def _neighbours(shape: Shape, measured: Iterable[Shape]) -> tuple[Shape, Shape] | None:
    """Return the two shapes that predict another: around it, or the nearest two; None: too few."""
    line = sorted(
        (other for other in measured if _same_line(other, shape)), key=lambda other: other.processes
    )
    if len(line) < 2:
        return None
    right = next((place for place, other in enumerate(line) if other.processes > shape.processes), len(line))
    right = min(max(right, 1), len(line) - 1)
    return line[right - 1], line[right]


def _inside(line: Line, size: int) -> Gain | None:
    """Return the gain at a size, unless it is outside the measured sizes."""
    return line.at(size) if line.known and min(line.known) <= size <= max(line.known) else None


def _between(size: int, following: int) -> list[int]:
    if size < 1:
        return []
    factor = math.log(following / size) / _STEPS
    steps = {round(size * math.exp(factor * step)) for step in range(1, _STEPS)}
    return sorted(steps - {size, following})


def _groups(positions: Iterable[_Position]) -> Iterator[list[_Position]]:
    """Yield adjacent positions with the same algorithm; each group reaches up to the next algorithm."""
    groups = [list(group) for _, group in groupby(positions, key=lambda position: position.algorithm)]
    for group, following in pairwise([*groups, []]):
        if group[0].algorithm is None:
            continue
        if following and following[0].algorithm is not None and following[0].size - 1 > group[-1].size:
            last = group[-1]
            end = _Position(following[0].size - 1, last.algorithm, False, last.gain or None, last.default_us)
            yield [*group, end] if last.gain else group
        else:
            yield group


def _time(known: Mapping[int, float], value: int) -> float:
    """Return a time interpolated on a logarithmic scale; beyond the known ones, the nearest."""
    times = {at: Gain(math.log(us), 0.0) for at, us in known.items() if us > 0}
    if not times:
        return 0.0
    nearest = min(max(value, min(times)), max(times))
    time = Line(times).at(nearest)
    return math.exp((time or times[min(times)]).middle)


def _evidence(held: Held, confidence: float) -> Evidence:
    interval = held.interval(confidence)
    return Evidence(
        held.default_us,
        held.chosen_us,
        interval.ratio,
        interval.low,
        interval.high,
        interval.confidence,
        interval.pairs,
    )
