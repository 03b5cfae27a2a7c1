"""Starting jobs on nodes, with each MPI's own launcher and the options that it needs there.

MPICH 4.0 is left out: across nodes it now and then never ends, even without Rankwise.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import libraries
from libraries import Mpi
from nodes import Cluster
from recording import RANKWISE, Recording

from held_up import HeldUp

RANKS_OF_NODE = 2
LIMIT_SECONDS = 60


class JobError(Exception):
    """A job failed; the text is what it wrote to stderr."""


class ConnectionFails(HeldUp):
    """A job of Open MPI 4.1 ended because one process could not connect to another one.

    On a busy machine it now and then takes a connection that is still being made for one that failed, and
    crashes, without Rankwise as well. Such a run says nothing, so pytest tries the test again
    (pyproject.toml).
    """


def check_connected(status: int, said: str) -> None:
    """Look at the end of a job and at what it wrote to stderr.

    Raises:
        ConnectionFails: it ended for that reason.
    """
    if status != 0 and "Open MPI failed to TCP connect to a peer MPI process" in said:
        raise ConnectionFails(said)


@cache
def version(mpi: Mpi) -> tuple[int, ...]:
    """Of the launcher."""
    text = libraries.version(mpi.mpirun)
    match = re.search(r"(\d+)\.(\d+)\.\d+", text)
    return tuple(map(int, match.groups())) if match else (0, 0)


def across_nodes() -> list[Mpi]:
    """The libraries whose jobs can span nodes here."""
    return [
        mpi
        for mpi in libraries.ALL
        if mpi.family == "openmpi" or (mpi.family == "mpich" and not mpi.vendor and version(mpi) >= (4, 1))
    ]


def over_each_transport() -> list[Mpi]:
    """Those, MPICH 5 over libfabric, too, which its wheel has beside UCX, and Intel MPI by its own ABI."""
    wheel = [mpi for mpi in libraries.found_in_environments() if mpi.family == "mpich"]
    ofi = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
    return [
        *across_nodes(),
        *(replace(mpi, name=f"{mpi.name}-ofi", environment=ofi) for mpi in wheel if not mpi.vendor),
        *(mpi for mpi in wheel if mpi.vendor),
    ]


def launch(
    mpi: Mpi,
    cluster: Cluster,
    count: int,
    placement: str,
    *program: str | Path,
    ranks_of_node: int = RANKS_OF_NODE,
) -> list[str]:
    """The words that start some ranks on each of the first nodes, in blocks or dealt out in turn."""
    names = cluster.names[:count]
    hosts = ",".join(names if mpi.vendor else [f"{name}:{ranks_of_node}" for name in names])
    if mpi.family == "mpich":
        options = ["-hosts", hosts, "-ppn", str(ranks_of_node if placement == "block" else 1)]
    else:
        options = ["--host", hosts, "--map-by", "slot" if placement == "block" else "node"]
    ranks = str(ranks_of_node * count)
    return [mpi.mpirun, *_start(mpi, cluster), *options, "-n", ranks, *map(str, program)]


def launch_in_order(mpi: Mpi, cluster: Cluster, hosts: Sequence[str], *program: str | Path) -> list[str]:
    """The words that start each rank on the host of its number."""
    file = cluster.directory / f"{'-'.join(hosts)}.{mpi.family}"
    if mpi.family == "mpich":
        # A host that came back in the file would be another node to Hydra, without shared memory.
        number = {host: place for place, host in enumerate(dict.fromkeys(hosts))}
        file.write_text("".join(f"{host}:{hosts.count(host)}\n" for host in number))
        options = ["-f", str(file), "-rankmap", ",".join(str(number[host]) for host in hosts)]
    else:
        file.write_text("".join(f"{host}\n" for host in hosts))
        options = ["--hostfile", str(file), "--map-by", "seq"]
    return [mpi.mpirun, *_start(mpi, cluster), *options, "-n", str(len(hosts)), *map(str, program)]


def to_nodes(mpi: Mpi, cluster: Cluster, words: Sequence[str]) -> list[str]:
    """The words of a command that knows the launcher's general name alone, made to get to the nodes."""
    return [mpi.mpirun, *_reach(mpi, cluster), *words[1:]]


def _start(mpi: Mpi, cluster: Cluster) -> list[str]:
    """The options by which a launcher gets to the nodes and binds nothing: they share cores."""
    binding = ["--bind-to", "none"] if mpi.family == "openmpi" else []
    return [*binding, *_reach(mpi, cluster)]


def _reach(mpi: Mpi, cluster: Cluster) -> list[str]:
    """The options by which a launcher gets to the nodes."""
    shell = str(cluster.remote_shell)
    if mpi.family == "mpich":
        name = "bootstrap" if mpi.vendor else "launcher"
        return [f"-{name}", "ssh", f"-{name}-exec", shell, "-iface", "eth0"]
    options = ["--mca", "btl_tcp_if_include", "eth0"]
    if version(mpi) >= (5,):
        return [*options, "--prtemca", "plm_ssh_agent", shell, "--prtemca", "prte_if_include", "eth0"]
    return [*options, "--mca", "plm_rsh_agent", shell, "--mca", "oob_tcp_if_include", "eth0"]


def environment(mpi: Mpi) -> dict[str, str]:
    """The environment for a launch on nodes: their network is TCP on eth0."""
    network = {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": "eth0"}
    if mpi.vendor:
        network |= {"I_MPI_HYDRA_BOOTSTRAP": "ssh", "I_MPI_FABRICS": "shm:ofi", "I_MPI_PIN": "0"}
    return {**mpi.env(), **(network if mpi.family == "mpich" else {})}


def run(
    mpi: Mpi, cluster: Cluster, place: Path, words: list[str], seconds: float = LIMIT_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a command on the first node, for so many seconds at the most."""
    done = subprocess.run(
        cluster.on(0, *words, cwd=place),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        env=environment(mpi),
    )
    check_connected(done.returncode, done.stderr)
    return done


def record(mpi: Mpi, cluster: Cluster, place: Path, words: list[str], *options: str) -> Recording:
    """Run a command under Rankwise on the first node."""
    output = place / "job.rankwise"
    rankwise = [str(RANKWISE), "run", "-o", str(output), *options, "--"]
    return Recording(run(mpi, cluster, place, [*rankwise, *words]), output)


def record_success(mpi: Mpi, cluster: Cluster, place: Path, words: list[str], *options: str) -> Recording:
    """The same, of a job that must succeed.

    Raises:
        JobError: it did not.
    """
    done = record(mpi, cluster, place, words, *options)
    if done.process.returncode != 0:
        raise JobError(f"exit status {done.process.returncode}: {done.process.stderr}")
    return done
