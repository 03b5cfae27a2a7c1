"""`rankwise tune machine` on made-up machines with known crossover points: rules, predictions, resuming."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest

from golden import Golden
from rankwise.commands.tune.machine import _Asked, _now_and_then, _scopes
from rankwise.errors import RankwiseError
from rankwise.render.terminal.tuned_machine import print_tuned_machine
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.cells.cell import Cell
from rankwise.tuning.machine.effect import check, to_be_checked
from rankwise.tuning.machine.grid import ALL, Layout, Point, Scope, Shape, scopes
from rankwise.tuning.machine.measure import Placed, Request, measure
from rankwise.tuning.machine.model import Line
from rankwise.tuning.machine.results import Gain, Kept, Launched, locked
from rankwise.tuning.machine.rules import Made, Table, check_predicted, table, traits_of
from rankwise.tuning.machine.settings import writable
from rankwise.tuning.settings.file import read, write_all
from rankwise.tuning.settings.rule import Algorithm
from rankwise.views.tuning import machine_as_data

LIBRARY = "Open MPI v4.1.4"
SMALL, LARGE = Algorithm("basic_linear", 1), Algorithm("nonoverlapping", 2)
SCREENS = Path(__file__).parent / "screens"
SIZES = (64, 512, 4096, 32768, 262144)
BOTH = ("commutative", "not-in-place")
Seconds = Callable[[Cell, Algorithm | None, int], float]


class Machine:
    """A Racer with times by a function of the call, the algorithm and the number of nodes."""

    library = LIBRARY
    overruled = False
    relaunches = False

    def __init__(self, seconds: Seconds, hosts: str = "aabbccdd", scatter: float = 0.02) -> None:
        self.hosts = tuple(hosts)
        self.seconds, self.scatter, self.random = seconds, scatter, random.Random(3)
        self.rounds = 0
        self.ends_after, self.end = 1 << 40, Exception()
        self.fails: str = ""

    def offered(self, procedure: str) -> tuple[Algorithm, ...]:
        return () if procedure == "MPI_Allgatherv" else (SMALL, LARGE)

    def run(
        self, cell: Cell, arms: Mapping[str, Algorithm | None], rounds: Sequence[Sequence[str]]
    ) -> list[dict[str, float]]:
        (group,) = cell.groupings[0].groups
        assert len(group) == cell.processes
        nodes = len({self.hosts[rank] for rank in group})
        if cell.procedure == self.fails:
            raise RankwiseError("the job ended with status 9", 1)
        timings = []
        for names in rounds:
            if self.rounds >= self.ends_after:
                raise self.end
            self.rounds += 1
            timings.append({name: self._time(cell, arms[name], nodes) for name in names})
        return timings

    def _time(self, cell: Cell, algorithm: Algorithm | None, nodes: int) -> float:
        return self.seconds(cell, algorithm, nodes) * self.random.lognormvariate(0, self.scatter)


def crossing(size: float, *, best: float = 2.0) -> Seconds:
    """SMALL is faster below a size, and LARGE above: by a factor that grows from 1 with the distance."""

    def seconds(cell: Cell, algorithm: Algorithm | None, nodes: int) -> float:
        del nodes
        distance = math.log(max(cell.size, 1) / size) / math.log(512)
        lead = min(1.0, abs(distance)) * math.log(best)
        if algorithm is None:
            return 1e-4
        ahead = lead if (distance < 0) == (algorithm == SMALL) else -lead
        return 1e-4 * math.exp(-ahead)

    return seconds


def equal(cell: Cell, algorithm: Algorithm | None, nodes: int) -> float:
    del cell, algorithm, nodes
    return 1e-4


def request(
    scopes_: Sequence[Scope], margin: float = 0.03, confidence: float = 0.95, *, bitwise: bool = False
) -> Request:
    return Request(
        scopes=scopes_,
        untranslatable=lambda _: "",
        confidence=confidence,
        margin=margin,
        bitwise=bitwise,
        seed=1,
    )


def begun(path: Path, machine: Machine, assumed: Sequence[str] = BOTH, **other: str) -> Kept:
    kept = Kept(path)
    kept.begin(
        Launched(
            library=other.get("library", machine.library),
            abi="openmpi",
            library_path="",
            assumed=tuple(assumed),
            bitwise=False,
            command=("mpirun", "-n", str(len(machine.hosts))),
            hosts=machine.hosts,
        )
    )
    return kept


def grid(
    machine: Machine,
    procedures: Sequence[str] = ("MPI_Bcast",),
    nodes: Sequence[int] | None = (1, 2, 3, 4),
    per_node: Sequence[int] | None = (ALL,),
    sizes: Sequence[int] = SIZES,
) -> list[Scope]:
    shapes = Layout(machine.hosts).shapes(nodes, per_node)
    fitting, too_large = scopes(procedures, shapes, sizes, traits_of(BOTH))
    assert not too_large
    return fitting


def measured(path: Path, machine: Machine, wanted: Sequence[Scope]) -> Kept:
    kept = begun(path, machine)
    assert measure(machine, request(wanted), kept, lambda _: None, lambda: None) == ""
    return kept


def table_of(kept: Kept, predicted: Sequence[int] | None = None) -> Table:
    return table(kept.results, 0.95, 0.03, predicted)


def of(rules: Sequence[Made], processes: int) -> list[Made]:
    return [entry for entry in rules if entry.rule.processes == processes]


# What is measured.


def test_a_layout_finds_the_ranks_of_a_shape() -> None:
    layout = Layout(tuple("abcabcab"))
    assert layout.counts == [3, 3, 2]
    assert list(layout.ranks(Shape(2, 3))) == [0, 1, 3, 4, 6, 7]
    assert list(layout.ranks(Shape(3, 2))) == [0, 1, 2, 3, 4, 5]
    assert not layout.has(Shape(3, 3))
    assert layout.has(Shape(2, 3))
    assert layout.shapes([ALL], [ALL]) == [Shape(3, 2)]
    assert layout.shapes(None, None) == [Shape(2, 3), Shape(3, 2), Shape(1, 3), Shape(3, 1), Shape(2, 1)]
    assert Layout(tuple("a" * 12)).shapes(None, None) == [Shape(1, n) for n in (12, 8, 6, 4, 3, 2)]


@pytest.mark.parametrize(
    ("nodes", "per_node", "line"),
    [([4], None, "--node-counts .. 3 .. 4"), (None, [4], "--ranks-per-node .. 3 .. 4"), ([1], [1], "")],
)
def test_shapes_that_are_not_there_are_refused(
    golden: Golden, nodes: list[int] | None, per_node: list[int] | None, line: str
) -> None:
    with pytest.raises(RankwiseError) as error:
        Layout(tuple("abcabcab")).shapes(nodes, per_node)
    golden.says(error.value, line)


def test_scopes_hold_what_a_rule_can_not_tell_apart() -> None:
    shapes = Layout(tuple("aabb")).shapes([1, 2], [1, 2])
    made, _ = scopes(["MPI_Bcast", "MPI_Gather", "MPI_Barrier"], shapes, [8, 64], traits_of(()))
    texts = [scope.text for scope in made]
    assert "Bcast of 8 B on 1 x 2 and 2 x 1" in texts
    wholes = [scope for scope in made if scope.procedure == "MPI_Gather"]
    assert {scope.processes for scope in wholes} == {2, 4}
    assert len(wholes) == 2
    assert "Barrier on 2 x 2" in texts
    together = next(scope for scope in wholes if scope.processes == 2)
    assert {(point.shape, point.size) for point in together.points} == {
        (shape, size) for shape in (Shape(1, 2), Shape(2, 1)) for size in (8, 64)
    }


def test_an_early_end_leaves_what_is_spread_over_all_sizes() -> None:
    made, _ = scopes(["MPI_Bcast"], [Shape(1, 4)], [1, 2, 4, 8, 16, 32, 64], traits_of(()))
    assert [scope.size for scope in made] == [1, 64, 8, 2, 16, 4, 32]


def test_what_is_too_large_is_left_out() -> None:
    made, too_large = scopes(["MPI_Alltoall", "MPI_Bcast"], [Shape(1, 512)], [1 << 20], traits_of(BOTH))
    assert [scope.text for scope in too_large] == ["Alltoall of 1 MiB on 1 x 512"]
    assert [scope.procedure for scope in made] == ["MPI_Bcast"]


def test_a_shape_has_its_own_names_of_nodes() -> None:
    placed = Placed(Machine(equal, "xxyyzz"), Shape(2, 2))
    assert placed.hosts == ("node 0", "node 0", "node 1", "node 1")
    assert placed.group == "0-3"


# The model.


def _line(curve: Callable[[float], float], values: Sequence[int], half: float = 0.01) -> Line:
    return Line({value: Gain(curve(math.log(value)), half) for value in values})


def test_a_straight_line_is_predicted_exactly() -> None:
    line = _line(lambda x: 0.3 - 0.05 * x, (2, 8, 32, 128))
    for value in (3, 16, 100):
        gain = line.at(value)
        assert gain is not None
        assert gain.middle == pytest.approx(0.3 - 0.05 * math.log(value))
        assert gain.half == pytest.approx(0.01)


def test_what_bends_is_within_the_bounds_of_its_prediction() -> None:
    curves: list[Callable[[float], float]] = [
        lambda x: 0.02 * x**2 - 0.1 * x,
        lambda x: 0.4 * math.sin(x / 3),
        lambda x: 0.3 if x > 5 else -0.2,  # another protocol from a size on
        lambda x: abs(x - 4) * 0.1,
    ]
    values = [2**power for power in range(1, 15, 2)]
    for curve in curves:
        line = _line(curve, values, 0.0)
        for value in range(values[1], values[-2], 7):
            gain = line.at(value)
            assert gain is not None
            spread = 0.5 if curve is curves[2] else 0.02  # of a jump, anything up to its height
            assert abs(curve(math.log(value)) - gain.middle) <= gain.half + spread


def test_what_is_far_away_is_not_predicted() -> None:
    line = _line(lambda x: x, (16, 32, 64))
    assert line.at(128) is not None
    assert line.at(129) is None
    assert line.at(8) is not None
    assert line.at(7) is None
    assert _line(lambda x: x, (16,)).at(20) is None


def test_two_points_say_nothing_about_what_is_between() -> None:
    gain = _line(lambda x: 0.1 * x, (4, 64), 0.0).at(16)
    assert gain is not None
    assert gain.half == pytest.approx(abs(0.1 * math.log(16)))
    beyond = _line(lambda x: 0.1 * x + 0.001 * x * x, (4, 16, 64), 0.01).at(128)
    inside = _line(lambda x: 0.1 * x + 0.001 * x * x, (4, 16, 64), 0.01).at(32)
    assert beyond is not None
    assert inside is not None
    assert beyond.half > inside.half


# Rules.


def test_crossover_points_are_found(tmp_path: Path) -> None:
    machine = Machine(crossing(8192))
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine))
    made = table_of(kept)
    for processes in (2, 4, 6, 8):
        rules = of(made.rules, processes)
        by_algorithm = {
            name: [entry for entry in rules if entry.rule.algorithm == name] for name in (SMALL, LARGE)
        }
        ends = [entry.rule.high or 0 for entry in by_algorithm[SMALL]]
        begins = [entry.rule.low for entry in by_algorithm[LARGE]]
        assert 4096 <= max(ends) < 8192 < min(begins) <= 32768
        assert min(entry.rule.low for entry in rules) == 64
        for before, after in pairwise(rules):  # only around the crossover the library's own choice stays
            assert before.rule.high is not None
            assert after.rule.low == before.rule.high + 1 or before.rule.algorithm != after.rule.algorithm
        assert max(entry.rule.high or 0 for entry in rules) == 262144
        known = [entry for entry in rules if entry.kind == "measured"]
        assert [{raced.size for raced in entry.rule.raced} for entry in known] == [
            {64, 512, 4096},
            {32768, 262144},
        ]
        assert all(entry.rule.evidence and entry.rule.evidence.rounds == 64 for entry in known)
        assert all(
            entry.rule.evidence and entry.rule.evidence.rounds == 0 for entry in rules if entry not in known
        )
    assert not made.unsure


def test_nothing_is_written_where_nothing_is_better(tmp_path: Path) -> None:
    machine = Machine(equal)
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, ("MPI_Bcast", "MPI_Gather")))
    made = table_of(kept)
    assert made.rules == []
    # Of 24 races one or two have a winner by chance; it is measured afresh, and nothing is left of it.
    assert [decision.why for decision in made.decisions].count("default is best") >= 20
    assert writable(made, kept.results, {}, None).settings is None


def test_a_gain_within_the_margin_is_not_written(golden: Golden, tmp_path: Path) -> None:
    def seconds(cell: Cell, algorithm: Algorithm | None, nodes: int) -> float:
        del cell, nodes
        return 0.98e-4 if algorithm == SMALL else 1e-4

    machine = Machine(seconds, scatter=0.002)
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, nodes=(2,), sizes=(64,)))
    made = table_of(kept)
    assert made.rules == []
    (unsure,) = made.unsure
    golden.says(unsure.why, "basic_linear .. 3 %")
    assert [entry.rule.algorithm for entry in table(kept.results, 0.95, 0.005).rules] == [SMALL]


def test_a_rule_holds_on_every_shape_with_as_many_processes(tmp_path: Path) -> None:
    """The library sees 4 processes: what is better on 2 x 2 and worse on 4 x 1 is left alone."""

    def seconds(cell: Cell, algorithm: Algorithm | None, nodes: int) -> float:
        if algorithm == SMALL:
            return 0.5e-4 if nodes == 2 else 2e-4
        return 0.8e-4 if algorithm == LARGE and cell.size == 64 else 1e-4

    machine = Machine(seconds)
    wanted = grid(machine, nodes=(2, 4), per_node=(1, 2), sizes=(64, 512))
    made = table_of(measured(tmp_path / "m.jsonl", machine, wanted))
    rule, *between = of(made.rules, 4)
    assert rule.rule.algorithm == LARGE
    assert all(entry.kind == "predicted" and (entry.rule.high or 512) < 512 for entry in between)
    assert (rule.rule.low, rule.rule.high) == (64, 64)
    assert set(rule.shapes) == {"2 x 2", "4 x 1"}
    assert any("512 B on" in case.what for case in made.unsure)


def test_one_rule_for_all_sizes_must_lose_at_none(tmp_path: Path) -> None:
    machine = Machine(crossing(8192))
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, ("MPI_Gather",), nodes=(2,)))
    made = table_of(kept)
    assert made.rules == []
    assert made.unsure
    always = Machine(crossing(1e9))
    kept = measured(tmp_path / "n.jsonl", always, grid(always, ("MPI_Gather",), nodes=(2,)))
    (rule,) = table_of(kept).rules
    assert (rule.rule.low, rule.rule.high, rule.rule.algorithm) == (0, None, SMALL)
    assert {raced.size for raced in rule.rule.raced} == set(SIZES)


def test_numbers_of_nodes_between_are_predicted(tmp_path: Path) -> None:
    machine = Machine(crossing(8192), "".join(node * 2 for node in "abcdefgh"))
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, nodes=(1, 2, 3, 4, 6, 8)))
    made = table_of(kept)
    for processes in (10, 14):  # 5 and 7 nodes
        rules = of(made.rules, processes)
        assert {entry.kind for entry in rules} == {"predicted"}
        assert {entry.rule.algorithm for entry in rules} == {SMALL, LARGE}
        assert max(entry.rule.high or 0 for entry in rules if entry.rule.algorithm == SMALL) < 8192
        assert min(entry.rule.low for entry in rules if entry.rule.algorithm == LARGE) > 8192
        assert all(entry.rule.evidence and not entry.rule.evidence.rounds for entry in rules)
        assert rules[0].shapes == (f"{processes // 2} x 2",)
    assert not of(made.rules, 18)


def test_beyond_what_was_measured_is_told_apart_or_refused(golden: Golden, tmp_path: Path) -> None:
    machine = Machine(crossing(8192), scatter=0.002)
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine))
    made = table_of(kept, [6])
    assert {entry.kind for entry in of(made.rules, 12)} == {"extrapolated"}
    (far,) = table_of(kept, [9]).unsure
    assert far.what == "9 x 2"
    golden.says(far.why)
    shapes = {point.shape for point in kept.results.raced}
    check_predicted(shapes, [6, 8])
    with pytest.raises(RankwiseError) as error:
        check_predicted(shapes, [9])
    golden.says(error.value, "--predicted-counts 9 .. 1 to 4 nodes")
    with pytest.raises(RankwiseError) as error:
        check_predicted([Shape(1, 2), Shape(1, 8)], [17])
    golden.says(error.value, "--predicted-counts 17 .. 2 to 8 ranks")


def test_powers_of_two_tell_nothing_about_other_numbers(tmp_path: Path) -> None:
    machine = Machine(crossing(8192))
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, nodes=(1, 2, 4)))
    made = table_of(kept)
    assert not of(made.rules, 6)
    assert [case.what for case in made.unsure] == ["Bcast on 6 ranks"]


def test_what_changes_with_the_nodes_is_not_predicted(golden: Golden, tmp_path: Path) -> None:
    def seconds(cell: Cell, algorithm: Algorithm | None, nodes: int) -> float:
        del cell
        gains = {1: 1.1, 2: 3.0, 3: 1.08, 4: 3.0, 6: 1.1, 8: 3.0}
        return 1e-4 / (gains[nodes] if algorithm == SMALL else 1.0)

    machine = Machine(seconds, "".join(node * 2 for node in "abcdefgh"), scatter=0.002)
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, nodes=(1, 2, 3, 4, 6, 8), sizes=(64, 512)))
    made = table_of(kept)
    assert {entry.rule.processes for entry in made.rules} == {2, 4, 6, 8, 12, 16}
    assert [case.what for case in made.unsure] == ["Bcast on 10 ranks", "Bcast on 14 ranks"]
    golden.says(made.unsure[0].why)


# Files.


def test_the_files_can_be_used(golden: Golden, tmp_path: Path) -> None:
    machine = Machine(crossing(8192), "".join(node * 2 for node in "abcdefgh"))
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, nodes=(1, 2, 3, 4, 6, 8)))
    made = table_of(kept)
    can = writable(made, kept.results, {"OMPI_MCA_coll_han_priority": "0"}, None)
    assert can.settings is not None
    assert can.rules == made.rules
    files = write_all(can.settings, tmp_path / "m.json", force=True)
    assert [file.name for file in files] == ["m.json", "m.env", "m.rules"]
    again = read(tmp_path / "m.json")
    assert again.rules == can.settings.rules
    text = (tmp_path / "m.rules").read_text()
    assert "predicted, not measured" in text
    assert "measured at 64 B, 512 B, 4 KiB, predicted between" in text
    assert "OMPI_MCA_coll_han_priority=0" in (tmp_path / "m.env").read_text()
    screen = StringIO()
    print_tuned_machine(made, can, kept.results, [Path(file.name) for file in files], "", 0, screen)
    golden.check(SCREENS / "tables" / "tuned-machine.txt", screen.getvalue())
    data = machine_as_data(made, can, kept.results, files, "")
    assert json.dumps(data["files"]) == json.dumps([str(file) for file in files])


def test_rules_that_can_not_stand_together_are_left_out(tmp_path: Path) -> None:
    machine = Machine(crossing(1e9))
    machine.library = "Intel(R) MPI Library 2021.18"
    kept = measured(tmp_path / "m.jsonl", machine, grid(machine, nodes=(2, 4)))
    made = table_of(kept)
    can = writable(made, kept.results, {}, None)
    assert can.settings is not None
    assert len({entry.rule.processes for entry in can.rules}) == 1
    assert sum(can.beside.values()) == len(made.rules) - len(can.rules) > 0


class WithFile(Machine):
    """A launch with rules in force: the library's own choice is that of the rules, where it takes them."""

    def __init__(self, seconds: Seconds, rules: Sequence[Made], *, takes: bool) -> None:
        super().__init__(seconds)
        self.rules = [entry.rule for entry in rules] if takes else []

    def _time(self, cell: Cell, algorithm: Algorithm | None, nodes: int) -> float:
        chosen = [
            rule.algorithm
            for rule in self.rules
            if rule.processes == cell.processes and rule.low <= cell.size <= (rule.high or rule.low)
        ]
        return super()._time(cell, algorithm or (chosen[0] if chosen else None), nodes)


@pytest.mark.parametrize("takes", [True, False])
def test_rules_that_the_library_does_not_take_are_left_out(tmp_path: Path, takes: bool) -> None:
    machine = Machine(crossing(8192))
    wanted = grid(machine, nodes=(2,))
    kept = measured(tmp_path / "m.jsonl", machine, wanted)
    before = table_of(kept)
    asked = to_be_checked(before, before.rules, kept)
    assert {question.point.size for question in asked} == set(SIZES)
    assert not to_be_checked(before, [], kept)
    launch = WithFile(crossing(8192), before.rules, takes=takes)
    assert check(launch, asked, request(wanted), kept, lambda _: None) == ""
    after = Kept(tmp_path / "m.jsonl")
    assert to_be_checked(before, before.rules, after) == []
    assert table_of(after).rules == (before.rules if takes else [])
    assert len(table_of(after).unsure) == (0 if takes else len(SIZES))


def test_looking_at_the_file_goes_on_too(tmp_path: Path) -> None:
    machine = Machine(crossing(8192))
    wanted = grid(machine, nodes=(2,))
    kept = measured(tmp_path / "m.jsonl", machine, wanted)
    made = table_of(kept)
    launch = WithFile(crossing(8192), made.rules, takes=True)
    launch.ends_after, launch.end = 70, Interrupted()
    assert check(launch, to_be_checked(made, made.rules, kept), request(wanted), kept, lambda _: None)
    assert 0 < len(to_be_checked(made, made.rules, kept)) < len(SIZES)


# Going on.


@pytest.mark.parametrize("end", [Interrupted(), OutOfTime()])
def test_a_call_goes_on_where_another_has_ended(tmp_path: Path, end: Exception) -> None:
    path = tmp_path / "m.jsonl"
    whole = Machine(crossing(8192))
    once = measured(tmp_path / "once.jsonl", whole, grid(whole))
    rounds, calls = 0, 0
    while True:
        machine = Machine(crossing(8192), hosts="stuvwxyzstuvwxyz"[:8] if calls % 2 else "aabbccdd")
        machine.hosts = tuple("eeffgghh") if calls % 2 else tuple("aabbccdd")  # another night, other nodes
        machine.ends_after, machine.end = 150, end
        kept, said = begun(path, machine), list[str]()
        ended = measure(machine, request(grid(machine)), kept, said.append, lambda: None)
        rounds += machine.rounds
        calls += 1
        if not ended:
            break
    assert calls > 5
    # Only what was cut off in the middle of a batch was lost.
    assert rounds <= whole.rounds + 150 * 2
    assert {point.text for point in kept.results.raced} == {point.text for point in once.results.raced}
    assert kept.results.hosts == tuple("abcdefgh")
    again = Machine(crossing(8192))
    assert measure(again, request(grid(again)), begun(path, again), said.append, lambda: None) == ""
    assert again.rounds == 0


def test_a_killed_job_leaves_half_a_line(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    machine = Machine(crossing(8192))
    wanted = grid(machine, nodes=(2,), sizes=(64, 512))
    kept = measured(path, machine, wanted)
    whole = path.read_bytes()
    for cut in (len(whole) - 7, len(whole) // 2, len(whole) // 3):
        path.write_bytes(whole[:cut])
        again = Machine(crossing(8192))
        after = measured(path, again, wanted)
        assert set(after.results.raced) == set(kept.results.raced)
        assert {entry.rule.algorithm for entry in table_of(after).rules} == {SMALL}
        assert again.rounds < machine.rounds


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'{"key": "other"}\n', "m.jsonl"),
        (b"not json\n", "m.jsonl .. line 1"),
        (b"\xff\xfe\n", "m.jsonl .. line 1"),
        (b'{"key": "about", "rankwise_machine": 9}\n', "m.jsonl .. version 9"),
        (b'{"key": "about", "rankwise_machine": 1}\n', "m.jsonl .. 'library'"),
        (b"[1]\n", "m.jsonl .. line 1"),
    ],
)
def test_a_damaged_file_is_one_line(golden: Golden, tmp_path: Path, content: bytes, line: str) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(content)
    with pytest.raises(RankwiseError) as error:
        Kept(path)
    golden.says(error.value, line)
    assert path.read_bytes() == content


def test_a_damaged_record_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    machine = Machine(crossing(8192))
    measured(path, machine, grid(machine, nodes=(2,), sizes=(64,)))
    lines = path.read_text().splitlines()
    for name, key, value in (("raced", "default_us", "x"), ("held", "default", [0.0]), ("raced", "point", 3)):
        records = [json.loads(line) for line in lines]
        next(record for record in records if record["key"] == name)[key] = value
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        with pytest.raises(RankwiseError, match="is damaged"):
            Kept(path)


def test_another_library_or_other_assumptions_are_refused(golden: Golden, tmp_path: Path) -> None:
    path, machine = tmp_path / "m.jsonl", Machine(equal)
    begun(path, machine)
    with pytest.raises(RankwiseError) as error:
        begun(path, machine, library="MPICH Version: 4.0.2")
    golden.says(error.value, "Open MPI 4.1.4 .. MPICH 4.0.2")
    with pytest.raises(RankwiseError) as error:
        begun(path, machine, ())
    golden.says(error.value, "--assume commutative,not-in-place")


def test_two_calls_do_not_measure_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    with locked(path), pytest.raises(RankwiseError, match="another `rankwise tune machine`"), locked(path):
        pass
    with locked(path):
        pass
    with pytest.raises(RankwiseError, match="can't be written"), locked(tmp_path / "no" / "m.jsonl"):
        pass


def test_a_point_that_fails_does_not_end_the_rest(tmp_path: Path) -> None:
    machine = Machine(crossing(8192))
    machine.fails = "MPI_Gather"
    wanted = grid(machine, ("MPI_Bcast", "MPI_Gather"), nodes=(2,), sizes=(64, 512))
    kept = begun(tmp_path / "m.jsonl", machine)
    assert measure(machine, request(wanted), kept, lambda _: None, lambda: None) == ""
    assert {point.procedure for point in kept.results.failed} == {"MPI_Gather"}
    assert {entry.rule.procedure for entry in table_of(kept).rules} == {"MPI_Bcast"}
    machine.fails = ""
    kept = begun(tmp_path / "m.jsonl", machine)
    assert measure(machine, request(wanted), kept, lambda _: None, lambda: None) == ""
    assert not kept.results.failed


def test_a_launch_that_always_fails_ends_it(tmp_path: Path) -> None:
    machine = Machine(equal)
    machine.fails = "MPI_Bcast"
    kept = begun(tmp_path / "m.jsonl", machine)
    with pytest.raises(RankwiseError, match="status 9"):
        measure(machine, request(grid(machine)), kept, lambda _: None, lambda: None)
    assert len(kept.results.failed) == 2


def test_lines_say_how_far_it_is(tmp_path: Path) -> None:
    machine, said, checkpoints = Machine(crossing(8192)), list[str](), list[int]()
    kept = begun(tmp_path / "m.jsonl", machine)
    wanted = grid(machine, nodes=(2,), sizes=(64, 512))
    measure(machine, request(wanted), kept, said.append, lambda: checkpoints.append(1))
    assert said[0].startswith("2 points in 2 places")
    assert said[1].startswith("1 of 2: Bcast of 64 B on 2 x 2: basic_linear, 1.")
    assert said[1].endswith("left")
    assert said[2].startswith("2 of 2: ")
    assert not said[2].endswith("left")
    assert len(checkpoints) == 2


def test_what_is_not_safe_for_every_program_is_not_raced(tmp_path: Path) -> None:
    """Without --assume an operation may not commute, and --bitwise leaves reductions alone."""
    machine = Machine(crossing(1e9))
    shapes = [Shape(2, 2)]
    for assumed, bitwise, labels in (
        (("commutative",), False, {"basic_linear", "nonoverlapping"}),
        (("commutative",), True, set()),
    ):
        made, _ = scopes(["MPI_Allreduce"], shapes, [64], traits_of(assumed))
        kept = begun(tmp_path / f"{bitwise}.jsonl", machine, assumed)
        measure(machine, request(made, bitwise=bitwise), kept, lambda _: None, lambda: None)
        raced = kept.results.raced[Point("MPI_Allreduce", shapes[0], 64)]
        assert {arm.algorithm.label for arm in raced.arms} == labels
    made, _ = scopes(["MPI_Alltoall"], shapes, [64, 512], traits_of(()))
    assert [bool(scope.whole) for scope in made] == [True]
    made, _ = scopes(["MPI_Alltoall"], shapes, [64, 512], traits_of(("not-in-place",)))
    assert [bool(scope.whole) for scope in made] == [False, False]


@pytest.mark.parametrize("path", ["m.json", "m", "m.measured.jsonl"])
def test_measurements_are_beside_the_settings(path: str) -> None:
    assert _asked(path).measured == Path("m.measured.jsonl")


def _asked(path: str = "m.json", nodes: list[int] | None = None) -> _Asked:
    return _Asked(
        path=Path(path),
        sizes=[8],
        procedures=None,
        nodes=nodes,
        per_node=None,
        predicted=None,
        assumed=(),
        bitwise=False,
        confidence=0.95,
        margin=0.03,
        seed=0,
        as_json=False,
    )


def test_where_rules_do_not_reach_only_single_nodes_are_measured(
    golden: Golden, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = Machine(equal)
    machine.overruled = True
    chosen, _ = _scopes(_asked(), machine)
    assert {point.shape.nodes for scope in chosen for point in scope.points} == {1}
    golden.says(capsys.readouterr().err, "OMPI_MCA_coll_han_priority=0")
    with pytest.raises(RankwiseError) as error:
        _scopes(_asked(nodes=[2]), machine)
    golden.says(error.value, "--node-counts 1")
    machine.overruled = False
    chosen, _ = _scopes(_asked(), machine)
    assert {point.shape.nodes for scope in chosen for point in scope.points} == {1, 2, 3, 4}


def test_a_library_without_rules_is_refused(golden: Golden) -> None:
    machine = Machine(equal)
    machine.library = "MVAPICH Version 4.1"
    with pytest.raises(RankwiseError) as error:
        _scopes(_asked(), machine)
    golden.says(error.value, "MVAPICH")


def test_showing_changes_nothing_while_another_call_measures(tmp_path: Path) -> None:
    path, machine = tmp_path / "m.jsonl", Machine(crossing(8192))
    kept = measured(path, machine, grid(machine, nodes=(2,), sizes=(64,)))
    half = path.read_bytes() + b'{"key": "rac'
    path.write_bytes(half)
    assert Kept(path, read_only=True).results.raced == kept.results.raced
    assert path.read_bytes() == half


def test_files_are_written_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now, written = [0.0], list[float]()
    monkeypatch.setattr("rankwise.commands.tune.machine.time.monotonic", lambda: now[0])
    checkpoint = _now_and_then(lambda: written.append(now[0]))
    for now[0] in (100.0, 301.0, 400.0, 700.0):
        checkpoint()
    assert written == [301.0, 700.0]


def test_controls_of_a_noisy_machine_find_nothing(tmp_path: Path) -> None:
    """All algorithms take the same, with a scatter of 15 %: no rule in any of 60 places."""
    machine = Machine(equal, scatter=0.15)
    wanted = grid(machine, ("MPI_Bcast", "MPI_Allreduce", "MPI_Reduce"))
    assert table_of(measured(tmp_path / "m.jsonl", machine, wanted)).rules == []
