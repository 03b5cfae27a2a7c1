"""A private Slurm over nodes: munge and slurmctld on the first one, slurmd on all. It ends with them."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import libraries
from launching import check_connected
from nodes import Cluster, UnavailableError

import patience

NEEDED = ("slurmctld", "slurmd", "srun", "sbatch", "sinfo", "munged")
LIMIT_SECONDS = 60
START_SECONDS = 20

CONFIGURATION = """
ClusterName=rankwise
SlurmctldHost=node0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool.%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd.%n.log
NodeName=node[0-{last}] CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=500
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=YES
"""


@dataclass(frozen=True)
class Slurm:
    """A running Slurm.

    Attributes:
        cluster: its nodes.
        configuration: slurm.conf.
    """

    cluster: Cluster
    configuration: Path

    def run(
        self, *words: str | Path, cwd: Path | None = None, user: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on the first node, as root or as another user."""
        theirs = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
        as_user = ["runuser", "-u", user, "--"] if user else []
        done = subprocess.run(
            self.cluster.on(0, *as_user, *words, cwd=cwd),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            env={
                **theirs,
                **libraries.OPENMPI_AS_ROOT,
                "SLURM_CONF": str(self.configuration),
                "OMPI_MCA_btl_tcp_if_include": "eth0",
            },
        )
        check_connected(done.returncode, done.stderr)
        return done

    def daemon(self, number: int, *words: str | Path) -> None:
        """Run a command on a node that leaves a daemon behind."""
        log = self.cluster.directory / f"{Path(words[0]).name}.{number}.out"
        with log.open("w") as output:  # a pipe would stay open as long as the daemon lives
            subprocess.run(
                self.cluster.on(number, *words),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=START_SECONDS,
                env={**os.environ, "SLURM_CONF": str(self.configuration)},
            )

    def nodes_are_idle(self) -> bool:
        """Whether no node has a job, or the Epilog of one, and none is out of service."""
        idle = self.run("sinfo", "--noheader", "--states=idle", "--format=%D").stdout.strip()
        return idle == str(len(self.cluster.names))


def started(
    cluster: Cluster,
    settings: Mapping[str, str | Path] | None = None,
    before: Callable[[Slurm], None] | None = None,
) -> Slurm:
    """Start Slurm on the nodes.

    Args:
        cluster: the nodes.
        settings: further lines of slurm.conf.
        before: called when munge is there, and nothing else.

    Raises:
        UnavailableError: Slurm is not installed, or does not start.
    """
    missing = [tool for tool in NEEDED if not shutil.which(tool)]
    if missing:
        raise UnavailableError(f"{', '.join(missing)} missing: install slurm-wlm and munge")
    place = cluster.directory
    (place / "state").mkdir()
    (place / "munge.key").write_bytes(os.urandom(1024))
    (place / "munge.key").chmod(0o600)
    lines = "".join(f"{name}={value}\n" for name, value in (settings or {}).items())
    configuration = place / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(directory=place, last=len(cluster.names) - 1) + lines)
    (place / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    made = Slurm(cluster, configuration)
    munge = [f"--{name}-file={place}/munged.{name}" for name in ("pid", "log", "seed")]
    munge += [f"--key-file={place}/munge.key", f"--socket={place}/munge.socket"]
    made.daemon(0, "munged", "--force", *munge)
    if before:
        before(made)
    made.daemon(0, "slurmctld")
    for number, name in enumerate(cluster.names):
        (place / f"spool.{name}").mkdir()
        made.daemon(
            number, "mount", "-t", "tmpfs", "tmpfs", "/sys/fs/cgroup"
        )  # the machine's is not for slurmd
        made.daemon(number, "slurmd", "-N", name)
    end = patience.end(START_SECONDS)
    while not made.nodes_are_idle():
        if time.monotonic() > end:
            raise UnavailableError(f"Slurm did not start within {START_SECONDS} seconds")
        time.sleep(0.2)
    return made
