"""`rankwise where`: faults of places, the machine of a launch, and distributions whose cost is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import pytest

from rankwise.analysis.messages.traffic import RunTraffic, Traffic
from rankwise.analysis.nodes.binding import NodePlace, Processor, RankPlace
from rankwise.errors import RankwiseError
from rankwise.launch.commandline import parse
from rankwise.placement.relaunch import placing_of
from rankwise.placement.where.distributions import Compared, Question, compare
from rankwise.placement.where.machine import machine_of
from rankwise.placement.where.places import Places
from rankwise.placement.where.rows import rank_rows
from rankwise.probes.launch import Launch, understand
from rankwise.render.terminal.where import headline

PACKAGES, CORES = 2, 4  # of a node, and of a package
BYTES = 1000


def rank(number: int, cpus: Sequence[int], threads: int | None = None) -> RankPlace:
    return RankPlace(
        rank=number,
        cpus=tuple(cpus),
        seen=tuple(cpus[:1]),
        looks=1,
        moves=0,
        omp_threads=threads,
        omp_proc_bind="",
        omp_places="",
        tasks=(),
    )


def inside() -> tuple[Processor, ...]:
    """Two packages, each a NUMA domain with a cache and four cores of one processor."""
    return tuple(
        Processor(cpu, package, package, package * CORES, cpu, 1 << 25, "any")
        for package, cpu in ((cpu // CORES, cpu) for cpu in range(PACKAGES * CORES))
    )


def places(
    *nodes: Mapping[int, Sequence[int]], memory: Mapping[int, tuple[int, ...]] | None = None
) -> Places:
    """Return places on nodes n0, n1, ...: of each, its ranks with their processors."""
    made = (
        NodePlace(f"n{number}", inside(), (), tuple(rank(each, cpus) for each, cpus in sorted(ranks.items())))
        for number, ranks in enumerate(nodes)
    )
    return Places(nodes=tuple(made), memory=memory or {})


def bound(ranks: Sequence[int]) -> dict[int, list[int]]:
    """Bind each rank to one core, from the first on."""
    return {number: [core] for core, number in enumerate(ranks)}


def kinds(of: Places) -> list[str]:
    return [fault.kind for fault in of.faults()]


@pytest.mark.parametrize(
    ("cores", "expected"),
    [
        ({0: [0], 1: [4]}, []),
        ({0: [0], 1: [0]}, ["shared core", "idle package"]),
        ({0: [0], 1: [1]}, ["idle package"]),
        ({0: range(8), 1: range(8)}, ["not bound"]),
        ({0: range(4), 1: range(4, 8)}, []),
        ({0: [0]}, []),
    ],
)
def test_faults(cores: dict[int, Sequence[int]], expected: list[str]) -> None:
    assert kinds(places(cores)) == expected


def test_more_threads_than_cores_are_a_fault_before_any_runs() -> None:
    node = NodePlace("n0", inside(), (), (rank(0, range(4), threads=8), rank(1, range(4, 8), threads=4)))
    [fault] = [
        fault for fault in Places(nodes=(node,), memory={}).faults() if fault.kind == "threads crowded"
    ]
    assert fault.ranks == (0,)


@pytest.mark.parametrize(
    ("memory", "far"),
    [({0: (0,), 1: (1,)}, ()), ({0: (1,), 1: (0, 1)}, (0,)), ({0: (1,), 1: (0,)}, (0, 1)), ({}, ())],
)
def test_memory_of_other_domains(memory: dict[int, tuple[int, ...]], far: tuple[int, ...]) -> None:
    faults = places({0: [0], 1: [4]}, memory=memory).faults()
    assert [fault.ranks for fault in faults] == ([far] if far else [])
    assert all(fault.kind == "far memory" for fault in faults)


def test_the_machine_has_the_inside_of_its_nodes() -> None:
    machine = machine_of([places(bound([0, 1]), bound([2, 3])), places(bound([0, 1, 2, 3]))])
    assert machine.hosts() == ("n0", "n1")
    assert len(machine.slots) == 2 * PACKAGES * CORES
    assert {"node", "package"} < {*machine.level_names()}


def test_a_node_with_more_ranks_than_processors_has_equal_slots() -> None:
    crowded = places({number: range(8) for number in range(12)})
    machine = machine_of([crowded])
    assert len(machine.slots) == 12


Order = Callable[[int], int]


def launched(ranks: int, node_of: Order) -> Places:
    """Bind the ranks to cores of two nodes."""
    on_node: list[list[int]] = [[], []]
    for number in range(ranks):
        on_node[node_of(number)].append(number)
    return places(*(bound(ranks) for ranks in on_node if ranks))


def pairs(ranks: int, far: int) -> RunTraffic:
    """Each rank sends to its partner, `far` ranks away."""
    partners = [number ^ far for number in range(ranks)]
    traffic = Traffic(ranks, list(range(ranks)), partners, [BYTES] * ranks, [1] * ranks)
    return RunTraffic(traffic, ranks, ranks * BYTES, 0, 0)


def question(run: RunTraffic, launch: Launch) -> Question:
    _, placing = placing_of(launch.command, launch.environment)
    return Question(run=run, complete=True, inside=False, placing=placing, machine=None, seed=1)


RANKS = 8
BLOCK: Order = lambda number: number // (RANKS // 2)  # noqa: E731
CYCLIC: Order = lambda number: number % 2  # noqa: E731


def asked(far: int, given: Order, others: Mapping[str, Order | str]) -> tuple[Compared, list[str]]:
    """Compare launches by srun: of each distribution, where it puts ranks, or why it fails."""
    launch = understand(["srun", "-n", str(RANKS), "./app"], {"PATH": "/nowhere"}, with_program=True)
    tried: list[str] = []

    def look(changed: Launch) -> Places:
        words = changed.words(["probe"])
        option = words[words.index("-m") + 1]
        tried.append(option)
        order = others[option]
        if isinstance(order, str):
            raise RankwiseError(order)
        return launched(RANKS, order)

    run = pairs(RANKS, far)
    return compare(question(run, launch), launch, launched(RANKS, given), look, lambda _: None), tried


@pytest.fixture(autouse=True)
def srun_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankwise.probes.launch.check_startable", lambda *_: None)


def test_the_shortest_option_that_comes_close_is_recommended() -> None:
    others = {
        "block": BLOCK,
        "cyclic": CYCLIC,
        "block:cyclic": BLOCK,
        "cyclic:cyclic": CYCLIC,
    }
    compared, tried = asked(RANKS // 2, BLOCK, others)
    assert tried == list(others)
    assert compared.given.cost is not None
    assert compared.given.cost.bytes_off_node == RANKS * BYTES
    assert [each.cost.bytes_off_node for each in compared.others if each.cost] == [
        RANKS * BYTES,
        0,
        RANKS * BYTES,
        0,
    ]
    assert compared.recommended is not None
    assert compared.recommended.words == ("-m", "cyclic")
    assert compared.recommended.share is not None
    assert compared.recommended.share > 0.5
    assert compared.best.cost <= min(each.cost.cost for each in compared.others if each.cost)
    assert [statement.kind for statement in compared.certainty] == ["measured", "certain", "unknown"]


def test_nothing_is_recommended_where_nothing_is_saved() -> None:
    compared, _ = asked(1, BLOCK, dict.fromkeys(("block", "cyclic", "block:cyclic", "cyclic:cyclic"), CYCLIC))
    assert compared.recommended is None
    assert all(each.share is None or each.share <= 0 for each in compared.others)


def test_what_uses_fewer_nodes_is_shown_but_not_recommended() -> None:
    one_node: Order = lambda _: 0  # noqa: E731
    others = {"block": one_node, "cyclic": "no such thing", "block:cyclic": BLOCK, "cyclic:cyclic": BLOCK}
    compared, _ = asked(RANKS // 2, BLOCK, others)
    first, second, *_ = compared.others
    assert first.cost is not None
    assert first.cost.bytes_off_node == 0
    assert first.problem
    assert (second.cost, second.share, second.problem) == (None, None, "no such thing")
    assert compared.recommended is None


def test_other_numbers_of_ranks_are_refused() -> None:
    launch = understand(["srun", "-n", "4"], {"PATH": "/nowhere"})
    with pytest.raises(RankwiseError, match="8"):
        compare(
            question(pairs(8, 1), launch), launch, launched(4, lambda number: number // 2), no_launch, print
        )


def no_launch(_: Launch) -> Places:
    raise AssertionError


@pytest.mark.parametrize(
    ("ranks", "sentence"),
    [
        ([{0: [0], 1: [1]}], "2 ranks on 1 node, each bound to 1 core"),
        ([{0: [0], 1: [1, 2]}], "2 ranks on 1 node, each bound to 1 to 2 cores"),
        ([{0: [0]}, {1: [0]}], "2 ranks on 2 nodes, 1 on each, each bound to 1 core"),
        ([{0: range(8), 1: range(8)}], "2 ranks on 1 node, not bound"),
    ],
)
def test_the_headline(ranks: list[dict[int, Sequence[int]]], sentence: str) -> None:
    of = places(*ranks)
    assert headline(of, rank_rows(of)) == sentence


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("mpirun.openmpi -n 4 --map-by node --bind-to core ./app -x", "--map-by"),
        ("mpirun.mpich -n 4 -ppn 2 taskset -c 0 ./app", "-ppn"),
        ("srun -n 4 -m cyclic ./app", "-m"),
    ],
)
def test_a_distribution_takes_the_place_of_the_given_one(words: str, options: str) -> None:
    launch = understand(words.split(), {"PATH": "/nowhere"}, with_program=True)
    seen: list[list[str]] = []

    def look(changed: Launch) -> Places:
        seen.append(changed.words(["probe"]))
        return launched(4, lambda number: number // 2)

    given = launched(4, lambda number: number // 2)
    compare(question(pairs(4, 1), launch), launch, given, look, lambda _: None)
    assert seen
    for command, kept in product(seen, ("probe", "-n")):
        assert kept in command
        assert "./app" not in command
        assert command.count(options) <= 1
        assert parse(command, lambda _: "").contexts[0].program[-1] == "probe"
