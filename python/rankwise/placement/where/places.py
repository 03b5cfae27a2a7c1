"""The places of ranks in a launch, as a probe finds them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.analysis.messages.traffic import Whereabouts
from rankwise.analysis.nodes.binding import Fault, NodePlace, RankPlace, faults_of, node_places
from rankwise.analysis.opened import opened_profile
from rankwise.cpulist import cpu_list
from rankwise.errors import RankwiseError
from rankwise.launch import inside_options
from rankwise.launch.signals import Signals
from rankwise.profile.join.members import compact
from rankwise.trials.recorded import Command, Limit, Recording, record

_MEMORY = re.compile(r"^rankwise-memory (\d{1,9}) (\S{1,9999})$", re.MULTILINE)
_LEAST_IN_PACKAGE = 2  # ranks


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where the ranks of a launch are.

    Attributes:
        nodes: with their ranks, in the order of their lowest rank.
        memory: NUMA domains that each rank may take memory from, by rank; unknown where one is missing.
    """

    nodes: tuple[NodePlace, ...]
    memory: Mapping[int, tuple[int, ...]]

    @property
    def size(self) -> int:
        """The number of ranks."""
        return sum(len(node.ranks) for node in self.nodes)

    @property
    def whereabouts(self) -> Whereabouts:
        """The hosts and processors of the ranks, as a placement takes them."""
        of_rank = {rank.rank: (node.host, rank.cpus) for node in self.nodes for rank in node.ranks}
        placed = [of_rank.get(rank, (None, ())) for rank in range(self.size)]
        return Whereabouts(tuple(host for host, _ in placed), tuple(cpus for _, cpus in placed))

    def faults(self) -> list[Fault]:
        """Return the problems of the places, the worst first."""
        memory = [fault for node in self.nodes for fault in _far_memory(node, self.memory)]
        idle = [fault for node in self.nodes for fault in _idle_packages(node)]
        return [*faults_of(self.nodes), *memory, *idle]


def find_places(words: Sequence[str], directory: Path, seconds: float, signals: Signals) -> Places:
    """Start a launch, and look where its ranks are.

    Args:
        words: of the launch, with the probe `where` in the place of the program.
        directory: for its files, which are left there.
        seconds: limit of its time.
        signals: that came to us.

    Raises:
        Interrupted: a signal came.
        RankwiseError: the probe could not be started, or not recorded.
    """
    profile = directory / "where.rankwise"
    limit = Limit(seconds, "give it more with --run-limit")
    try:
        record(Command(tuple(words), {}), Recording(inside_options.nothing()), profile, limit, signals)
    except RankwiseError as error:
        raise RankwiseError(
            f"the probe could not be run in this launch: {error}", error.exit_status
        ) from None
    with opened_profile(profile) as connection:
        nodes = tuple(_with_threads_asked_for(node) for node in node_places(connection))
    return Places(nodes=nodes, memory=_memory(profile.with_suffix(".out")))


def _with_threads_asked_for(node: NodePlace) -> NodePlace:
    """Forget what threads the probe had: OMP_NUM_THREADS tells those of a program."""
    ranks = tuple(replace(rank, tasks=(), computing=None, waited_seconds=None) for rank in node.ranks)
    return replace(node, ranks=ranks)


def _memory(output: Path) -> dict[int, tuple[int, ...]]:
    text = output.read_text(encoding="utf-8", errors="replace")
    listed = ((int(rank), _domains(domains)) for rank, domains in _MEMORY.findall(text))
    return {rank: domains for rank, domains in listed if domains}


def _domains(text: str) -> tuple[int, ...]:
    try:
        return cpu_list(text)
    except ValueError:  # a launcher tore the lines of several ranks apart
        return ()


def near(node: NodePlace, rank: RankPlace) -> frozenset[int]:
    """Return the NUMA domains of the processors that a rank may use; none if they are unknown."""
    own = set(rank.cpus)
    return frozenset(p.numa for p in node.processors if p.processor in own and p.numa is not None)


def packages(node: NodePlace, rank: RankPlace) -> frozenset[int]:
    """Return the packages of the processors that a rank may use; none if they are unknown."""
    own = set(rank.cpus)
    return frozenset(p.package for p in node.processors if p.processor in own and p.package is not None)


def _far_memory(node: NodePlace, memory: Mapping[int, tuple[int, ...]]) -> list[Fault]:
    far = [
        rank.rank
        for rank in node.ranks
        if (domains := memory.get(rank.rank)) and (own := near(node, rank)) and not own & {*domains}
    ]
    if not far:
        return []
    noun, verb = ("ranks", "take their") if len(far) > 1 else ("rank", "takes its")
    what = f"{noun} {compact(far)} on {node.host} {verb} memory from other NUMA domains than their cores'"
    return [Fault("far memory", (node.host,), tuple(far), what, "bind cores and memory to the same domain")]


def _idle_packages(node: NodePlace) -> list[Fault]:
    """Find packages without a rank, while several ranks are bound to another one."""
    on_package: dict[int, list[int]] = {p.package: [] for p in node.processors if p.package is not None}
    for rank in node.ranks:
        for package in packages(node, rank):
            on_package[package].append(rank.rank)
    idle = [package for package, ranks in on_package.items() if not ranks]
    most = max(on_package.values(), key=len, default=[])
    if not idle or len(most) < _LEAST_IN_PACKAGE:
        return []
    noun, verb = ("packages", "have") if len(idle) > 1 else ("package", "has")
    what = f"{noun} {compact(sorted(idle))} of {node.host} {verb} no rank, and another one has {len(most)}"
    cure = "distribute the ranks over the packages if the job has all of them"
    return [Fault("idle package", (node.host,), tuple(most), what, cure)]
