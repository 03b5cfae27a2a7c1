"""The user's launch with every rank in a given place: what goes, what comes, and what stays."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import fake_mpi
import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launchers.binding import Binding
from rankwise.placement.relaunch import understand

SAYS = {
    "ompi4": "mpirun (Open MPI) 4.1.4",
    "ompi5": "mpirun (Open MPI) 5.0.11",
    "prrte": "prterun (PRRTE) 3.0.5",
    "mpich": "HYDRA build details:\n    Version:                                 5.0.2",
    "mpich40": "HYDRA build details:\n    Version:                                 4.0.2",
    "intel": "Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 20251010",
    "other": "who knows",
}
SPLIT = [Binding(0, "a"), Binding(1, "b"), Binding(2, "a"), Binding(3, "b")]
WHOLE = [Binding(0, "b"), Binding(1, "b"), Binding(2, "a"), Binding(3, "a")]
CORES = [
    Binding(r, "ab"[r // 2], package=0, core=1 - r % 2, core_of_package=1 - r % 2, cpu=1 - r % 2)
    for r in range(4)
]

Relaunch = Callable[..., str]


@pytest.fixture
def relaunch(tmp_path: Path) -> Relaunch:
    """Rewrites a command whose launcher is WHOSE/NAME; D stands for the directory of the files."""

    def relaunch_(command: str, bindings: list[Binding] = SPLIT, **variables: str) -> str:
        words = shlex.split(command)
        for place, word in enumerate(words):
            whose, slash, name = word.partition("/")
            if slash and whose in SAYS:
                words[place] = str(fake_mpi.launcher(tmp_path / whose / name, SAYS[whose]))
        launch = understand(words, {"PATH": os.environ["PATH"], **variables})
        done = launch.relaunched(launch.bindings(bindings), Path("/D"))
        return done.command_line.replace(f"{tmp_path}/", "")

    return relaunch_


SEQ = "--hostfile /D/openmpi4.ranks --map-by seq"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("ompi4/mpirun -n 4 ./app --map-by x", f"ompi4/mpirun -n 4 {SEQ} ./app --map-by x"),
        ("ompi4/mpirun ./app", f"ompi4/mpirun -np 4 {SEQ} ./app"),
        (
            "env A=b timeout 60 ompi4/mpirun -x C=d --host a:2,b:2 --map-by node --rank-by slot -np 4 nice"
            " ./app",
            f"env A=b timeout 60 ompi4/mpirun -x C=d -np 4 {SEQ} nice ./app",
        ),
        ("ompi4/mpirun -H a,b -N 2 -c 4 -- ./app -n 3", f"ompi4/mpirun -c 4 {SEQ} -- ./app -n 3"),
        (
            "ompi4/mpirun --hostfile f --mca btl tcp,self --mca rmaps_base_mapping_policy node --npernode 2"
            " -np 4 ./app",
            f"ompi4/mpirun --mca btl tcp,self -np 4 {SEQ} ./app",
        ),
        (
            "ompi4/mpirun --bind-to core --oversubscribe -machinefile m -np 4 ./app",
            f"ompi4/mpirun --bind-to core --oversubscribe -np 4 {SEQ} ./app",
        ),
        ("ompi4/mpirun -rf old --bynode -np 4 ./app", f"ompi4/mpirun -np 4 {SEQ} ./app"),
        (
            "ompi5/mpirun --map-by ppr:2:node --prtemca rmaps_x y --np 4 ./app",
            "ompi5/mpirun --np 4 --hostfile /D/openmpi5.ranks --map-by seq ./app",
        ),
        ("prrte/prterun -n 4 ./app", "prrte/prterun -n 4 --hostfile /D/openmpi5.ranks --map-by seq ./app"),
        (
            "mpich/mpiexec -ppn 1 -hosts a,b -iface eth0 -genv X y -n 4 ./app -f z",
            "mpich/mpiexec -iface eth0 -genv X y -n 4 -f /D/mpich.hosts -rankmap 0,1,0,1 ./app -f z",
        ),
        (
            "mpich/mpirun -f h -rankmap 0,0,1,1 -bind-to core ./app",
            "mpich/mpirun -bind-to core -f /D/mpich.hosts -rankmap 0,1,0,1 -n 4 ./app",
        ),
        (
            "intel/mpiexec.hydra -machinefile m -perhost 2 -env A b -np 4 ./app",
            "intel/mpiexec.hydra -env A b -np 4 -machinefile /D/intel.machines ./app",
        ),
        (
            "srun -n4 -N2 -mcyclic -wa,b --ntasks-per-node=2 -l --mpi=pmix ./app",
            "SLURM_HOSTFILE=/D/slurm.hosts srun -n4 -l --mpi=pmix --distribution=arbitrary ./app",
        ),
        (
            "srun --nodelist a,b --distribution cyclic --nodes=2 --cpu-bind=cores ./app",
            "SLURM_HOSTFILE=/D/slurm.hosts srun --cpu-bind=cores -n 4 --distribution=arbitrary ./app",
        ),
        (
            "env -i srun -n 4 ./app",
            "SLURM_HOSTFILE=/D/slurm.hosts env -i SLURM_HOSTFILE=/D/slurm.hosts srun -n 4"
            " --distribution=arbitrary ./app",
        ),
    ],
)
def test_hosts(relaunch: Relaunch, given: str, expected: str) -> None:
    assert relaunch(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            "ompi4/mpirun --bind-to socket -np 4 ./app",
            "ompi4/mpirun -np 4 --rankfile /D/openmpi4.ranks ./app",
        ),
        ("ompi4/mpirun --bind-to none -np 4 ./app", f"ompi4/mpirun --bind-to none -np 4 {SEQ} ./app"),
        (
            "ompi4/mpirun --mca hwloc_base_binding_policy none -np 4 ./app",
            f"ompi4/mpirun --mca hwloc_base_binding_policy none -np 4 {SEQ} ./app",
        ),
        (
            "ompi5/mpirun --bind-to core -np 4 ./app",
            "ompi5/mpirun -np 4 --hostfile /D/openmpi.hosts --map-by rankfile:file=/D/openmpi5.ranks ./app",
        ),
        (
            "mpich/mpiexec -bind-to core -n 4 ./app",
            "mpich/mpiexec -n 4 -f /D/mpich.hosts -bind-to user:1,0 ./app",
        ),
        (
            "mpich/mpiexec -bind-to none -n 4 ./app",
            "mpich/mpiexec -bind-to none -n 4 -f /D/mpich.hosts ./app",
        ),
        (
            "intel/mpiexec -genv I_MPI_PIN_DOMAIN core -n 4 ./app",
            "intel/mpiexec -n 4 -machinefile /D/intel.machines -genv I_MPI_PIN 1"
            " -genv I_MPI_PIN_PROCESSOR_LIST 1,0 ./app",
        ),
        (
            "intel/mpiexec -genv I_MPI_PIN=off -n 4 ./app",
            "intel/mpiexec -genv I_MPI_PIN=off -n 4 -machinefile /D/intel.machines ./app",
        ),
        (
            "srun -n 4 --cpu-bind=cores ./app",
            "SLURM_HOSTFILE=/D/slurm.hosts srun -n 4 --distribution=arbitrary --cpu-bind=map_cpu:1,0 ./app",
        ),
        (
            "srun -n 4 -c2 ./app",
            "SLURM_HOSTFILE=/D/slurm.hosts srun -n 4 -c2 --distribution=arbitrary ./app",
        ),
    ],
)
def test_cores(relaunch: Relaunch, given: str, expected: str) -> None:
    assert relaunch(given, CORES) == expected


@pytest.mark.parametrize(
    "variables",
    [{"OMPI_MCA_hwloc_base_binding_policy": "none"}, {"PRTE_MCA_hwloc_default_binding_policy": "none"}],
)
def test_no_binding_by_the_environment(relaunch: Relaunch, variables: dict[str, str]) -> None:
    assert "seq" in relaunch("ompi5/mpirun -n 4 ./app", CORES, **variables)
    assert "I_MPI_PIN" not in relaunch("intel/mpiexec -n 4 ./app", CORES, I_MPI_PIN="0")


def test_nodes_that_differ(relaunch: Relaunch) -> None:
    """Hydra and srun take one list of processors for all nodes; what can't be told is not expected."""
    differ = [*CORES[:2], replace(CORES[2], cpu=3, core=3, core_of_package=3), CORES[3]]
    assert "-bind-to" not in relaunch("mpich/mpiexec -n 4 ./app", differ)
    assert "--cpu-bind=cores" in relaunch("srun -n 4 --cpu-bind=cores ./app", differ)
    assert "--rankfile" in relaunch("ompi4/mpirun -n 4 ./app", differ)


def test_an_old_mpich_takes_whole_hosts_alone(relaunch: Relaunch) -> None:
    assert relaunch("mpich40/mpiexec -n 4 ./app", WHOLE) == "mpich40/mpiexec -n 4 -f /D/mpich.hosts ./app"
    with pytest.raises(RankwiseError, match=r"needs MPICH 4\.1"):
        relaunch("mpich40/mpiexec -n 4 ./app")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("", "no command"),
        ("./app", ""),
        ("sh -c true", "Open MPI"),
        ("other/mpirun -n 4 ./app", ""),
        ("aprun -n 4 ./app", ""),
        ("ompi4/mpirun -n 1 ./one : -n 3 ./two", "several programs"),
        ("mpich/mpiexec -configfile f", ""),
        ("srun --multi-prog f", ""),
        ("ompi4/mpirun -np8", "not a program"),
        ("ompi4/mpirun -n 4 --map-by slot:PE=2 ./app", "several processors"),
        ("ompi5/mpirun -n 4 --map-by ppr:2:node:pe=4 ./app", "several processors"),
        ("ompi4/mpirun -n 4 --cpus-per-rank 2 ./app", "several processors"),
    ],
)
def test_refusals(relaunch: Relaunch, given: str, complaint: str, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        relaunch(given)
    golden.says(error.value, complaint)
