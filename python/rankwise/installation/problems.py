"""Problems of an installation, from the facts of its nodes: a line for each problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rankwise.installation.facts import Facts
from rankwise.launch.checkup import Finding
from rankwise.topology.machine.hosts import folded

_FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "")
_LEAST_MEMORY = 64 << 20
_CLOCK_SECONDS = 1.0  # what a slow file system, or a busy node, may add


def problems(nodes: Sequence[Facts], here: Facts, began: float, ended: float) -> Iterator[Finding]:
    """Compare the nodes with this one.

    Args:
        nodes: at least one.
        here: the node that `rankwise doctor` runs on.
        began: the launch, in seconds since 1970 by the clock here.
        ended: the end of the launch, by the same clock.
    """
    text = f"{here.version}, Python {here.python}"
    yield Finding("nodes", f"{len(nodes)}: {folded([node.host for node in nodes])}")
    yield Finding("Rankwise", text)
    modules = "install the same on all nodes, or load the same modules"
    shared = "install Rankwise on a file system that all nodes see"
    same = "install the same version for all nodes, or one that all of them see"
    yield from _grouped(
        nodes, lambda node: _unlike(node.version, here.version, "Rankwise "), same, stops=True
    )
    yield from _grouped(nodes, lambda node: node.complaint, shared, stops=True)
    changed = [node for node in nodes if node.version == here.version and node.digest != here.digest]
    text = f"another {here.library} than here, of the same version"
    yield from _grouped(changed, lambda _: text, same, stops=True)
    yield from _grouped(
        nodes, lambda node: _unlike(node.python, here.python, "Python "), modules, stops=False
    )
    cure = "set the clocks by NTP or PTP: times of nodes can't be compared"
    yield from _grouped(nodes, lambda node: _clock_off(node.time, began, ended), cure, stops=False)
    cure = "boot with clocksource=tsc if the processors allow it: each look at the clock asks the kernel"
    yield from _grouped(nodes, lambda node: _slow_clock(node.clock_source), cure, stops=False)
    cure = "make room in /dev/shm: else counters go to TMPDIR, which may be slow"
    yield from _grouped(nodes, lambda node: _full(node.memory_bytes), cure, stops=False)
    every = {name for node in nodes for name in node.transports}
    yield from _grouped(nodes, lambda node: _lacks(every, node.transports), modules, stops=False)
    yield Finding(
        "transports", ", ".join(sorted(every)) or "neither UCX nor libfabric nor PSM: shared memory and TCP"
    )
    cure = "install hwloc, for `rankwise machine from-hwloc`"
    yield from _grouped(nodes, lambda node: "" if node.hwloc else "no lstopo of hwloc", cure, stops=False)


def _grouped(
    nodes: Sequence[Facts], wrong: Callable[[Facts], str], cure: str, *, stops: bool
) -> Iterator[Finding]:
    """Give one finding for all nodes with the same problem."""
    hosts_by_problem: dict[str, list[str]] = {}
    for node in nodes:
        if text := wrong(node):
            hosts_by_problem.setdefault(text, []).append(node.host)
    for text, hosts in hosts_by_problem.items():
        yield Finding(folded(hosts), text, cure, stops=stops)


def _unlike(there: str, here: str, what: str) -> str:
    return "" if there == here else f"{what}{there}, here {here}"


def _clock_off(time: float, began: float, ended: float) -> str:
    off = time - ended if time > ended else time - began if time < began else 0.0
    if abs(off) <= _CLOCK_SECONDS:
        return ""
    return f"its clock is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} the one here"


def _slow_clock(source: str) -> str:
    return "" if source in _FAST_CLOCKS else f"the kernel takes the time from {source}"


def _full(free: int) -> str:
    return "" if free >= _LEAST_MEMORY else f"{free >> 20} MiB free in /dev/shm"


def _lacks(every: set[str], there: Sequence[str]) -> str:
    missing = sorted(every - set(there))
    return f"lacks {', '.join(missing)}, which other nodes have" if missing else ""
