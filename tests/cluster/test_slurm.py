"""Jobs under a Slurm of our own, over two nodes: srun from outside and inside of a batch script.

Of the MPI libraries here Debian's Open MPI is the one whose PMIx fits Debian's Slurm.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import libraries
import nodes
import own_slurm
import pytest
import whereabouts
from launching import check_connected
from libraries import Mpi
from own_slurm import LIMIT_SECONDS, Slurm
from recording import RANKWISE, Recording

import patience
from exhaustive import few
from rankwise.launchers.binding import Binding
from rankwise.placement.files import write_all

NODES = 2
RANKS = 4
RING_BYTES = 3 * 1000 * (1 + 2 + 3 + 4)  # as in programs/ring.c

Ring = Callable[[Mpi], Path]

EXPORTS = [(("--export=NAME=value",),), ((),), (("--export=NONE",),)]  # options of srun


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nodes.Cluster]:
    """Nodes of our own: the daemons end with them."""
    try:
        with nodes.cluster(NODES, tmp_path_factory.mktemp("slurm")) as made:
            yield made
    except nodes.UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def slurm(cluster: nodes.Cluster) -> Slurm:
    try:
        return own_slurm.started(cluster)
    except nodes.UnavailableError as reason:
        pytest.skip(str(reason))


def debian() -> Mpi:
    mpi = next((mpi for mpi in libraries.ALL if mpi.name == "openmpi-debian"), None)
    if mpi is None:
        pytest.skip("Debian's Open MPI is missing")
    return mpi


@pytest.fixture
def program(ring: Ring) -> Path:
    return ring(debian())


def srun(*words: str | Path) -> list[str]:
    return ["srun", f"--nodes={NODES}", f"--ntasks-per-node={RANKS // NODES}", "--mpi=pmix", *map(str, words)]


def check(done: Recording) -> None:
    """All ranks are in the profile, on the node that they ran on."""
    assert done.rows("SELECT partial, ranks_seen, ranks_expected FROM run") == [(0, RANKS, RANKS)]
    hosts = [f"node{rank * NODES // RANKS}" for rank in range(RANKS)]
    assert done.rows("SELECT rank, host FROM ranks ORDER BY rank") == list(enumerate(hosts))
    assert sum(volume for _, volume in done.messages().values()) == RING_BYTES
    assert done.warnings == []
    assert done.dropped == {}


def job_numbers(done: Recording) -> list[str]:
    """The numbers in the profile's job id: PMIx puts Slurm's job and step into a name of its own."""
    ((job,),) = done.rows("SELECT job FROM run")
    return re.findall(r"\d+", str(job))


@pytest.mark.parametrize("options", few(EXPORTS, 2), ids=" ".join)
def test_srun(slurm: Slurm, program: Path, place: Path, options: tuple[str, ...]) -> None:
    output = place / "ring.rankwise"
    words = srun(*options, program)
    plain = slurm.run(*words, cwd=place)
    done = Recording(slurm.run(RANKWISE, "run", "-o", output, "--", *words, cwd=place), output)
    assert done.process.returncode == plain.returncode == 0, done.process.stderr
    assert sorted(done.process.stdout.splitlines()) == sorted(plain.stdout.splitlines())
    check(done)
    jobs = re.findall(r"JobId=(\d+)", slurm.run("scontrol", "show", "jobs").stdout)
    assert max(jobs, key=int) in job_numbers(done)


def test_behind_srun(slurm: Slurm, program: Path, place: Path) -> None:
    """Slurm ends what is left of a step, so the profile has to be made within it."""
    output = place / "ring.rankwise"
    words = srun("--label", RANKWISE, "run", "-o", output, "--", program)
    done = Recording(slurm.run(*words, cwd=place), output)
    assert done.process.returncode == 0, done.process.stderr
    check(done)
    assert done.process.stderr.count(f"{RANKS} ranks / ") == 1
    assert [path for path in place.iterdir() if path != output] == []


def test_programs_of_a_file(slurm: Slurm, program: Path, place: Path) -> None:
    output, file = place / "ring.rankwise", place / "programs.conf"
    file.write_text(f"0 {program}\n1-3 {program}\n")
    words = srun("--export=NONE", "--multi-prog", file)
    done = Recording(slurm.run(RANKWISE, "run", "-o", output, "--", *words, cwd=place), output)
    assert done.process.returncode == 0, done.process.stderr
    check(done)


@pytest.mark.parametrize("options", few(EXPORTS, 1), ids=" ".join)
def test_nothing_else_of_the_environment_changes(
    slurm: Slurm, program: Path, place: Path, options: tuple[str, ...], changed: Callable[..., set[str]]
) -> None:
    words = srun(*options, program, place / "written")
    recorded = [RANKWISE, "run", "-o", place / "ring.rankwise", "--", *words]
    assert changed(lambda: slurm.run(*words, cwd=place), lambda: slurm.run(*recorded, cwd=place)) == set()


@pytest.mark.parametrize("launcher", ["srun", "mpirun"])
def test_in_a_batch_script(slurm: Slurm, program: Path, place: Path, launcher: str) -> None:
    script, finished = place / "job.sh", place / "finished"
    words = srun(program) if launcher == "srun" else ["mpirun.openmpi", "--bind-to", "none", str(program)]
    recorded = shlex.join([str(RANKWISE), "run", "--", *words])
    script.write_text(f"#!/bin/sh\n{recorded}\necho $? >{finished}.new\nmv {finished}.new {finished}\n")
    options = [f"--nodes={NODES}", f"--ntasks-per-node={RANKS // NODES}", f"--output={place}/output"]
    submitted = slurm.run("sbatch", "--parsable", *options, script, cwd=place)
    job = submitted.stdout.strip()
    patience.wait_until(finished.exists, LIMIT_SECONDS)
    status, said = finished.read_text(), (place / "output").read_text()
    check_connected(int(status), said)
    assert status == "0\n", said
    done = Recording(submitted, place / f"{program.name}.{job}.rankwise")
    check(done)
    assert job in job_numbers(done)


def test_a_placement_tried_out(slurm: Slurm, program: Path, place: Path) -> None:
    """Dealt out in turns, all that the ring's ranks send goes off node; then what ranks 0 and 2 send."""
    output = place / "ring.rankwise"
    words = srun("-mcyclic", program)
    first = slurm.run(RANKWISE, "run", "-q", "-o", output, "--", *words, cwd=place)
    assert first.returncode == 0, first.stderr
    options = ["--kind", "program", "--pairs", "1", "--json"]
    done = slurm.run(RANKWISE, "map", "verify", output, *options, "--", *words, cwd=place)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [run["bytes_off_node"] for run in answer["before"]] == [RING_BYTES]
    assert [run["bytes_off_node"] for run in answer["after"]] == [3 * 1000 * (1 + 3)]
    assert (answer["verdict"], answer["interval"]["confidence"]) == ("no difference shown", 0)


def test_the_world_in_another_order(slurm: Slurm, program: Path, place: Path) -> None:
    """The same gain without a placement by srun: only the order of MPI_COMM_WORLD changes."""
    words = srun("-mcyclic", program)
    first, placed = place / "first.rankwise", place / "placed.rankwise"
    off_node = """SELECT sum(bytes) FROM messages JOIN ranks a ON a.rank = source
                  JOIN ranks b ON b.rank = destination WHERE kind = 'point-to-point' AND a.host <> b.host"""
    for output, options, expected in (
        (first, [], RING_BYTES),
        (placed, ["--place", first], 3 * 1000 * (1 + 3)),
    ):
        ended = slurm.run(RANKWISE, "run", "-q", *options, "-o", output, "--", *words, cwd=place)
        assert ended.returncode == 0, ended.stderr
        assert Recording(ended, output).rows(off_node) == [(expected,)]


def test_distributions_compared(slurm: Slurm, program: Path, place: Path) -> None:
    """Dealt out in turns, all of a ring's bytes go off node; in blocks, what ranks 1 and 3 send."""
    output = place / "ring.rankwise"
    words = srun("-mcyclic", program)
    first = slurm.run(RANKWISE, "run", "-q", "-o", output, "--", *words, cwd=place)
    assert first.returncode == 0, first.stderr
    options = ["--for", output, "--kind", "program", "--json", "--mpicc", debian().mpicc]
    done = slurm.run(RANKWISE, "where", *options, "--", *words, cwd=place)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    bytes_off_node = {tuple(launch["options"]): launch["bytes_off_node"] for launch in answer["launches"]}
    assert bytes_off_node[()] == RING_BYTES
    assert bytes_off_node["-m", "block"] == 3 * 1000 * (2 + 4)
    assert answer["recommended"] == ["-m", "block"]


def test_ranks_are_where_a_placement_puts_them(slurm: Slurm, cluster: nodes.Cluster, place: Path) -> None:
    mpi = debian()
    hosts = [cluster.names[number] for number in (1, 0, 0, 1, 0)]
    bindings = [Binding(rank, host) for rank, host in enumerate(hosts)]
    words = [str(whereabouts.compiled(mpi, cluster.directory)), str(place / "answer")]
    written = {file.launcher: file for file in write_all(bindings, place / "files", words)}["Slurm"]
    variables = [f"{name}={value}" for name, value in written.environment]
    done = slurm.run("env", "SLURM_MPI_TYPE=pmix", *variables, *written.words, cwd=place)
    assert done.returncode == 0, done.stderr
    whereabouts.check(place / "answer", hosts, [None] * len(hosts))


def test_recorded_by_a_task_prolog(slurm: Slurm, program: Path, place: Path) -> None:
    prolog, jobs = place / "prolog.sh", place / "jobs of all"
    printed = slurm.run(RANKWISE, "env", "--dir", jobs, "--format", "taskprolog")
    assert printed.returncode == 0, printed.stderr
    prolog.write_text(printed.stdout)
    prolog.chmod(0o755)
    words = srun(f"--task-prolog={prolog}", program)
    done = slurm.run(*words, cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    collected = slurm.run(RANKWISE, "collect", jobs)
    assert (collected.returncode, collected.stderr) == (0, "")
    [profile] = jobs.iterdir()
    assert collected.stdout == f"{profile}\n"
    check(Recording(done, profile))
