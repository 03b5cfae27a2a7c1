"""Ranks or their threads are bound to the same few processors of their node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.nodes.binding import SHARING, Fault, NodePlace, faults_of_node
from rankwise.cpulist import cpu_text
from rankwise.findings.finding import HIGH, LOW, Command, Fact, Finding, NotTold, Rule
from rankwise.findings.processors import LEAST_BUSY, Use, crowded, total, use
from rankwise.records import dataclass

_BUSY = 0.8  # of the processors
_SHOWN = 3  # groups of ranks


@dataclass(frozen=True)
class _Group:
    """Ranks that are crowded on some processors of their node.

    Attributes:
        free: processors of the node that no rank may use; other jobs may have them.
        run_seconds: of the ranks, between MPI_Init and MPI_Finalize.
        wanted: processors, one a thread that computes.
        use: of the processors that there are.
    """

    fault: Fault
    free: int
    processors: int
    wanted: int
    run_seconds: float
    use: Use

    @property
    def saved_seconds(self) -> float:
        # (While a processor was free, no thread wanted it.)
        busy = min(self.use.busy, 1.0) if self.use.seconds else 1.0
        return self.run_seconds * busy * (1 - self.processors / self.wanted)


def _groups(seen: Evidence, node: NodePlace) -> Iterator[_Group]:
    of_rank = {rank.rank: rank for rank in seen.ranks}
    free = len({one.processor for one in node.processors} - node.usable)
    for fault in faults_of_node(node):
        if fault.kind not in SHARING:
            continue
        places = [place for place in node.ranks if place.rank in fault.ranks]
        ranks = [of_rank[place.rank] for place in places]
        processors = len({cpu for place in places for cpu in place.cpus})
        wanted = sum(place.threads for place in places)
        # (What it costs to share a core as two hardware threads of it depends on the program.)
        if wanted > processors:
            run_seconds = sum(rank.run_seconds for rank in ranks)
            yield _Group(fault, free, processors, wanted, run_seconds, use(seen, ranks, processors))


def _find(seen: Evidence) -> Sequence[Finding] | NotTold:
    nodes = seen.places
    if not any(node.processors for node in nodes):
        return NotTold("the profile does not tell which processors the nodes have")
    too_many = {node.host for node in crowded(seen)}
    groups = [
        group
        for node in nodes
        if node.host not in too_many
        for group in _groups(seen, node)
        if not group.use.seconds or group.use.busy >= LEAST_BUSY
    ]
    if not groups:
        return []
    groups.sort(key=lambda group: -group.saved_seconds)
    worst = groups[0]
    used = total([group.use for group in groups])
    ranks = sorted({rank for group in groups for rank in group.fault.ranks})
    more = f", and likewise {len(groups) - 1} more (ranks {cpu_text(ranks)} in all)" if groups[1:] else ""
    free = f"; {worst.free} others have no rank" if worst.free else ""
    what = worst.fault.what
    return [
        Finding(
            rule=RULE.id,
            title=f"{what[0].upper()}{what[1:]}{free}{more}",
            saved_seconds=sum(group.saved_seconds for group in groups),
            upper_bound=True,
            formula=RULE.formula,
            inputs=[
                Fact(f"run time where {group.fault.what}", group.run_seconds, "s")
                for group in groups[:_SHOWN]
            ],
            evidence=[],
            confidence=HIGH if used.busy >= _BUSY else LOW,
            why_confidence=used.told,
            command=Command("show", ("--by", "node")),
        )
    ]


RULE = Rule(
    "badly-bound",
    "Ranks or threads that are bound to the same few processors of a node.",
    "Ranks have more threads that compute than processors that these ranks may use, and these were in use for"
    f" {100 * LEAST_BUSY:.0f} % of the time or more, or nobody knows. Not on nodes with more ranks than"
    " processors (oversubscribed).",
    "run time of these ranks x share of it in which their processors were in use, if that is known x (1 -"
    " processors that they may use / their threads that compute)",
    "Start fewer threads, or let the launcher bind each rank to as many cores as it has threads:"
    " `--map-by slot:PE=4 --bind-to core`, `-bind-to core:4`, `srun --cpus-per-task=4 --cpu-bind=cores`.",
    _find,
    order=80,
)
