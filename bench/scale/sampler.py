"""What the counters of the network cost a node: the time of the keeper, and of its child, the sampler."""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from functools import partial
from pathlib import Path

from common.errors import BenchError
from common.jobs import Runner, build
from common.mpis import Mpi
from scale.node import look

RANKS, SECONDS = 2, 20.0
CASES = 3
_AIM_PERCENT = 0.05  # of one processor, at one sample a second
_PORTS = 8
_COUNTERS = (
    "counters/port_xmit_data",
    "counters/port_rcv_data",
    "counters/port_xmit_packets",
    "counters/port_rcv_packets",
    "counters/port_xmit_wait",
    "counters/symbol_error",
    "counters/port_rcv_errors",
    "counters/port_rcv_remote_physical_errors",
    "counters/local_link_integrity_errors",
    "counters/port_xmit_discards",
    "counters/link_downed",
    "counters/link_error_recovery",
    "hw_counters/local_ack_timeout_err",
    "hw_counters/packet_seq_err",
    "hw_counters/np_cnp_sent",
    "hw_counters/rp_cnp_handled",
)


def measure(mpi: Mpi, library: Path, timeout: float) -> None:
    """Print the time without samples, with the ports of this node, and with made-up InfiniBand ports."""
    print(f"{mpi.name}: {CASES} runs of {SECONDS:g} s for the counters of the network", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="rankwise-bench-") as name:
        program = build(mpi, "job", Path(name))
        made_up = Path(name) / "sys"
        _make_ports(made_up)
        cases = {
            "RANKWISE_NETWORK=off": {"RANKWISE_NETWORK": "off"},
            "ports of this node": {},
            f"{_PORTS} synthetic InfiniBand ports": {"RANKWISE_TEST_SYSFS": str(made_up)},
        }
        assert len(cases) == CASES
        lines = [f"{'':30} {'sampler':>9} {'keeper':>9} {'sleeps':>7}"]
        for case, variables in cases.items():
            runner = Runner(
                dataclasses.replace(mpi, settings=mpi.settings | variables),
                program,
                RANKS,
                library,
                timeout,
                ("wait",),
                beside=partial(look, ranks=RANKS, seconds=SECONDS),
            )
            lines.append(f"{case:30} {_line(runner.run(True).extra)}")
    print(f"{mpi.name} ({mpi.version}), {RANKS} ranks that make a call ten times a second, {SECONDS:g} s;")
    print(f"% of one processor (sampler <= {_AIM_PERCENT:g}):")
    print("\n".join(lines), end="\n\n", flush=True)


def _make_ports(root: Path) -> None:
    """Write files like the kernel's, each with a counter."""
    for adapter in range(_PORTS):
        for counter in _COUNTERS:
            path = root / f"class/infiniband/mlx5_{adapter}/ports/1" / counter
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("1234567890123\n")


def _line(figures: dict[str, float]) -> str:
    if "keeper_percent" not in figures:
        raise BenchError("there is no keeper")
    if "sampler_percent" not in figures:
        return f"{'-':>9} {figures['keeper_percent']:9.4f}"
    sampler = figures["sampler_percent"]
    keeper = figures["keeper_percent"] - sampler
    mark = "" if sampler <= _AIM_PERCENT else "  over"
    return f"{sampler:9.4f} {keeper:9.4f} {figures['sampler_sleeps']:7.0f}{mark}"
