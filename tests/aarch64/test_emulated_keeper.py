"""The keeper on AArch64, emulated: it samples and saves the counters of the network.

Emulated programs can't start it, because the kernel runs no executable of AArch64. So it gets its files here.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import emulation
import numpy as np
import pytest
from test_network_counters import COUNTERS, FIRST, tree

from rankwise.profile.collect.clock import NANOSECONDS
from rankwise.profile.collect.layout import CONSTANTS, CONTROL_MAGIC, STRUCTS
from rankwise.profile.collect.network_samples import COUNTERS as NAMES
from rankwise.profile.collect.node_files import NodeFile, read_node_file

KEEPER = emulation.BUILD / "runtime" / "src" / "keeper" / "rankwise-keeper"
LIMIT_SECONDS = 60

pytestmark = pytest.mark.exhaustive


def saved(place: Path) -> NodeFile:
    """Run it without processes, so that it ends after two seconds."""
    root, memory, run_directory = place / "sys", place / "memory", place / "run"
    tree(root)
    for directory in (memory, run_directory):
        directory.mkdir(mode=0o700)
    control = np.zeros(1, STRUCTS["control"])
    control["magic"], control["version"] = CONTROL_MAGIC, CONSTANTS["NODE_VERSION"]
    control["open"], control["host"], control["run_directory"] = 1, b"n1", str(run_directory).encode()
    (memory / "control").write_bytes(control.tobytes())
    words = [*emulation.emulated(KEEPER), str(run_directory), "0", "10000", "n1", str(root), str(memory)]
    opened = 'exec 3<"$1" 4<>"$1/control"; shift; exec "$@"'
    subprocess.run(["sh", "-c", opened, "sh", str(memory), *words], check=True, timeout=LIMIT_SECONDS)
    assert not memory.exists()
    [path] = run_directory.iterdir()
    return read_node_file(path)


def test_samples(tmp_path: Path) -> None:
    """The first and the last one: the emulator refuses to start the child that takes the others."""
    file = saved(tmp_path)
    assert file.is_final
    network = file.network
    assert network is not None
    [number] = [number for number, port in enumerate(network.ports) if port.kind == "infiniband"]
    port = network.ports[number]
    assert (port.device, port.number) == ("mlx5_0", 1)
    assert port.counted == {name for name, _, _ in COUNTERS.values()}
    for sample in (network.values[0, number], network.values[-1, number]):
        counted = dict(zip(NAMES, sample.tolist(), strict=True))
        assert {name: value for name, value in counted.items() if value} == {
            name: unit * FIRST for name, unit, _ in COUNTERS.values()
        }
    assert 0 < network.duration_ns < LIMIT_SECONDS * NANOSECONDS
    assert any(other.kind == "ethernet" for other in network.ports)
