"""All jobs of a centre with a real Slurm, set up as docs/how-to/centre.md says.

Users only submit jobs. TaskProlog records them, Epilog collects the profiles, and the nightly script adds
them and the accounting to a data set. There each run belongs to its job, and node hours equal sacct's.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import libraries
import nodes
import own_slurm
import pytest
import slurm_accounting
import users_of_nodes
from own_slurm import Slurm
from recording import RANKWISE

import patience
import rankwise
from exhaustive import few
from rankwise.centre.accounting import COMMAND, read_accounting
from rankwise.centre.schema import ACCOUNTING, RUNS, Table
from rankwise.centre.store import Store

pytest.importorskip("pyarrow")

DOCUMENTATION = (libraries.ROOT / "docs" / "how-to" / "centre.md").read_text()
PROGRAMS = libraries.ROOT / "tests" / "mpi" / "programs"
RING = libraries.ROOT / "tests" / "cluster" / "programs" / "ring.c"
USERS = ("ann", "bob")
WITHOUT_SCRATCH = "eve"
CLUSTER = "rankwise"
TWO = "--ntasks=2 --nodes=1"
OVER_NODES = "--ntasks-per-node=1 --nodes=2"
SECOND = timedelta(seconds=1)  # sacct has no fractions
HOSTILE_NAME = "a|b\n99|rankwise|root|physics|all|COMPLETED"


class Kind(NamedTuple):
    """How a program is built and started.

    Attributes:
        library: of `libraries`.
        source: of the program.
        start: the words before it.
    """

    library: str
    source: Path
    start: str


KINDS = {
    "ring": Kind("openmpi-debian", RING, "srun --mpi=pmix"),
    "broadcasts": Kind("openmpi-debian", PROGRAMS / "broadcasts.c", "mpirun.openmpi --bind-to none"),
    "point_to_point": Kind("mpich-debian", PROGRAMS / "point_to_point.c", "srun --mpi=pmi2"),
    "fft": Kind("mpich-debian", PROGRAMS / "fft.c", "mpirun.mpich"),
}
WAITING = Kind("openmpi-debian", PROGRAMS / "faults.c", "srun --mpi=pmix")


class Arrangement(NamedTuple):
    """Where the run directories of all users are.

    Attributes:
        name: of it.
        directory: below the scratch file system, as `rankwise env` gets it.
        options: for `rankwise env`.
    """

    name: str
    directory: str
    options: tuple[str, ...]


OWN = Arrangement("own", "%u/rankwise", ())
SHARED = Arrangement("shared", "rankwise", ("--shared",))


def script(name: str) -> str:
    """A script of the documentation: the block behind its path."""
    match = re.search(rf"`{re.escape(name)}`[^\n]*:\n\n((?: {{4}}[^\n]*\n)+)", DOCUMENTATION)
    assert match, name
    return textwrap.dedent(match[1])


class Job(NamedTuple):
    """A job, or the elements of an array.

    Attributes:
        number: of all elements; their own ids are others.
        user: who submitted it.
        program: that it runs.
        runs: of all elements together.
        elements: of an array, or components of a heterogeneous job; else 1.
    """

    number: str
    user: str
    program: str
    runs: int
    elements: int = 1


class Centre:
    """A centre whose slurm.conf names two scripts, which a test writes."""

    def __init__(self, slurm: Slurm) -> None:
        self.slurm = slurm
        self.place = slurm.cluster.directory

    def write(self, name: str, text: str) -> None:
        new = self.place / f"{name}.new"
        new.write_text(text)
        new.chmod(0o755)
        new.rename(self.place / name)

    def set_up(self, arrangement: Arrangement) -> None:
        """Do what the documentation says."""
        self.scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=self.place))
        self.scratch.chmod(0o755)
        for user in USERS:
            (self.scratch / user).mkdir()
            shutil.chown(self.scratch / user, *[(self.place / "home" / user).stat().st_uid] * 2)
        self.shared = arrangement is SHARED
        words = ["--dir", self.scratch / arrangement.directory, *arrangement.options]
        self.write("prolog", self.succeed(RANKWISE, "env", *words, "--format", "taskprolog"))
        self.write("epilog", self.as_here(script("/etc/slurm/rankwise-epilog.sh")))
        self.write("nightly", self.as_here(script("/usr/local/sbin/rankwise-centre")))
        self.data = self.scratch / "data"

    def as_here(self, text: str) -> str:
        if self.shared:
            text = re.sub(r"/scratch/(\$\w+|\*)/rankwise", "/scratch/rankwise", text)
        replaced = {
            "/scratch": self.scratch,
            "/opt/rankwise/bin/rankwise": RANKWISE,
            "/var/lib/rankwise": self.scratch / "data",
            "--cluster alps": f"--cluster {CLUSTER}",
        }
        for theirs, ours in replaced.items():
            text = text.replace(theirs, str(ours))
        return text

    def succeed(self, *words: str | Path, user: str = "") -> str:
        done = self.slurm.run(*words, user=user, cwd=self.place / "home" / user if user else None)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def submit(self, user: str, commands: Sequence[str]) -> list[str]:
        """Submit jobs, and return their numbers; a command is what follows `sbatch`."""
        lines = [f"sbatch --parsable --output=/dev/null {command} || exit 1\n" for command in commands]
        return self.succeed("sh", "-c", "".join(lines), user=user).split()

    def job_of(self, kind: Kind, program: str, times: int = 1) -> str:
        """The script of a job and its arguments."""
        command = f"{kind.start} {self.place / program}"
        return f"{self.place / 'job'} {shlex.quote(' && '.join([command] * times))}"

    def waits(self, user: str, name: str, again: str = "") -> str:
        """Submit a job that waits until it is killed, and return its number once all its ranks are there.

        If it is requeued, it runs another program.
        """
        said = self.place / "home" / user / "said"
        said.unlink(missing_ok=True)
        command = f"{WAITING.start} {self.place / 'faults'} wait"
        if again:
            command = f'if [ "$SLURM_RESTART_COUNT" ]; then {again}; else {command}; fi'
        words = [
            "--parsable",
            "--ntasks=2",
            "--nodes=1",
            "--time=1",
            f"--output={said}",
            f"--job-name={name}",
        ]
        number = self.succeed("sbatch", *words, self.place / "job", command, user=user).strip()
        patience.wait_until(lambda: said.exists() and said.read_text().count("ready") == 2, 60)
        return number

    def wait(self, jobs: Sequence[Job], seconds: float) -> None:
        """Until no job and no Epilog is left, and slurmdbd knows how each job ended.

        Slurm sends records to slurmdbd later: without waiting, sacct may lack the last jobs.
        """
        squeue = ["squeue", "--noheader"]
        patience.wait_until(lambda: not self.succeed(*squeue), seconds, lambda: self.succeed(*squeue))
        assert self.slurm.nodes_are_idle(), self.succeed("sinfo", "--list-reasons")
        expected = Counter({job.number: job.elements for job in jobs})
        patience.wait_until(lambda: self.ended() >= expected, 60, lambda: str(expected - self.ended()))

    def ended(self) -> Counter[str]:
        """Count the elements of each job that have ended, as sacct lists a period."""
        words = ["--allusers", "--allocations", "--noheader", "--parsable2", "--starttime=now-1hour"]
        lines = self.succeed("sacct", *words, "--endtime=now", "--format=JobID,End").splitlines()
        rows = [line.split("|") for line in lines]
        return Counter(re.split("[_+]", job)[0] for job, end in rows if end != "Unknown")

    def rows(self, store: Path, table: Table) -> list[dict[str, Any]]:
        opened = Store(store)
        columns = [column.name for column in table.columns]
        months = [opened.read(table, month, columns).to_pylist() for month in opened.months(table)]
        return [row for month in months for row in month]


@pytest.fixture(scope="module")
def centre() -> Iterator[Centre]:
    by_name = {mpi.name: mpi for mpi in libraries.ALL}
    if missing := {kind.library for kind in KINDS.values()} - by_name.keys():
        pytest.skip(f"{', '.join(sorted(missing))} missing")
    # pytest's own directories can't be entered by other users.
    directory = Path(tempfile.mkdtemp(prefix="rankwise-slurm-"))
    settings: dict[str, str | Path] = {
        **slurm_accounting.settings(directory),
        "TaskProlog": directory / "prolog",
        "Epilog": directory / "epilog",
        "KillWait": "5",
        "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1",
    }
    try:
        with nodes.cluster(2, directory) as cluster:
            users_of_nodes.add(cluster, [*USERS, WITHOUT_SCRATCH])
            for name, kind in {**KINDS, "faults": WAITING}.items():
                by_name[kind.library].compile(directory / name, kind.source, options=["-lm"])
            accounts = {"physics": [USERS[0]], "chemistry": [USERS[1], WITHOUT_SCRATCH]}
            slurm = own_slurm.started(
                cluster, settings, lambda started: slurm_accounting.start(started, accounts)
            )
            made = Centre(slurm)
            made.write("job", '#!/bin/sh\neval "$1"\n')
            if slurm.run(RANKWISE, "--version", user=USERS[0]).returncode != 0:
                pytest.skip(f"other users can't start {RANKWISE}")
            yield made
    except nodes.UnavailableError as reason:
        pytest.skip(str(reason))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


class Planned(NamedTuple):
    """A job that is not submitted yet.

    Attributes:
        program: that it runs.
        command: what follows `sbatch`.
        runs: of all elements of the array together.
        elements: 1 if it is no array.
    """

    program: str
    command: str
    runs: int = 1
    elements: int = 1


def arrays(centre: Centre, programs: Iterable[str], elements: int) -> list[Planned]:
    array = f"{TWO} --array=1-{elements}"
    commands = {name: f"{array} {centre.job_of(KINDS[name], name)}" for name in programs}
    return [Planned(name, command, elements, elements) for name, command in commands.items()]


def singles(centre: Centre, programs: Iterable[str]) -> list[Planned]:
    return [Planned(name, f"{TWO} {centre.job_of(KINDS[name], name)}") for name in programs]


def two_steps(centre: Centre) -> Planned:
    return Planned("ring", f"{TWO} {centre.job_of(KINDS['ring'], 'ring', times=2)}", 2)


def over_nodes(centre: Centre) -> Planned:
    return Planned("ring", f"{OVER_NODES} {centre.job_of(KINDS['ring'], 'ring')}")


def submit(centre: Centre, user: str, planned: Sequence[Planned]) -> list[Job]:
    numbers = centre.submit(user, [job.command for job in planned])
    made = zip(numbers, planned, strict=True)
    return [Job(number, user, job.program, job.runs, job.elements) for number, job in made]


def cancel(centre: Centre, user: str) -> list[Job]:
    number = centre.waits(user, HOSTILE_NAME)
    centre.succeed("scancel", number, user=user)
    return [Job(number, user, "faults", 1)]


def run_out_of_time(centre: Centre, user: str) -> list[Job]:
    """Slurm looks every half a minute; limits of less than a minute are set by their end alone."""
    number = centre.waits(user, "late")
    centre.succeed("scontrol", "update", f"JobId={number}", "EndTime=now+1")
    return [Job(number, user, "faults", 1)]


def of_sacct(centre: Centre, jobs: Sequence[Job]) -> list[dict[str, str]]:
    """What sacct says, by names of columns: an independent reading."""
    columns = ["JobIDRaw", "JobID", "User", "State", "NNodes", "ElapsedRaw"]
    words = ["--allusers", "--allocations", "--duplicates", "--noheader", "--parsable2"]
    words += [f"--jobs={','.join(job.number for job in jobs)}", f"--format={','.join(columns)}"]
    lines = centre.succeed("sacct", *words).splitlines()
    return [dict(zip(columns, line.split("|"), strict=True)) for line in lines]


def check_runs(centre: Centre, store: Path, jobs: Sequence[Job]) -> None:
    """Each run is there once, with its user, and belongs to one job, while which it started."""
    accounted = of_sacct(centre, jobs)
    number = {row["JobIDRaw"]: row["JobID"].partition("_")[0] for row in accounted}
    runs = centre.rows(store, RUNS)
    there = Counter((number.get(run["job"]), run["user"], run["program"]) for run in runs)
    assert there == Counter({(job.number, job.user, job.program): job.runs for job in jobs})
    assert len({run["run"] for run in runs}) == len(runs)
    by_job = {row["job"]: row for row in centre.rows(store, ACCOUNTING)}
    for run in runs:
        job = by_job[run["job"]]
        assert (run["user"], run["cluster"]) == (job["user"], job["cluster"])
        assert job["started"] <= run["started"] < job["ended"] + SECOND
        assert run["ranks"] == 2
        assert run["nodes"] == job["nodes"]
        assert run["node_hours"] <= job["node_hours"] + job["nodes"] / 3600
        assert run["complete"] == (run["program"] != "faults")
    hours = sum(int(row["NNodes"]) * int(row["ElapsedRaw"]) for row in accounted) / 3600
    kept = sum(by_job[row["JobIDRaw"]]["node_hours"] for row in accounted)
    assert kept == pytest.approx(hours, abs=1e-9)
    states = Counter(row["State"].partition(" ")[0] for row in accounted)
    assert states == Counter(by_job[row["JobIDRaw"]]["state"] for row in accounted)
    assert states["CANCELLED"] == 1
    assert states.keys() <= {"COMPLETED", "CANCELLED", "TIMEOUT"}
    by_runs = sum(run["node_hours"] for run in runs)
    said = f"node hours: {kept:.4f}, by sacct {hours:.4f}, in MPI {by_runs:.4f}"
    print(f"{len(accounted)} jobs, {len(runs)} runs; {said}")


def check_once(centre: Centre, jobs: Sequence[Job]) -> None:
    """Two ingests at once, and one after them."""
    accounting, store = centre.data / "sacct.json", centre.data / "another"
    words = ["--allusers", "--duplicates", "--json", "--starttime", "now-7days"]
    accounting.write_text(centre.succeed("sacct", *words))
    command = [RANKWISE, "centre", "ingest", centre.scratch, "--into", store, "--cluster", CLUSTER, "--json"]
    command += ["--accounting", accounting]
    on_node = centre.slurm.cluster.on(0, *command)
    both = [subprocess.Popen(on_node, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [json.loads(process.communicate(timeout=180)[0]) for process in both]
    runs = sum(job.runs for job in jobs)
    assert [one["problems"] for one in said] == [[], []]
    assert sum(one["runs"] for one in said) == runs
    again = json.loads(centre.succeed(*command))
    assert (again["runs"], again["known"], again["jobs"]) == (0, runs, 0)
    check_runs(centre, store, jobs)


def check_outputs_are_equal(centre: Centre, tmp_path: Path) -> None:
    """sacct's lines and its JSON, and lines with local times and names of jobs."""
    period = " --starttime now-7days --endtime now"
    forms = {
        "lines": f"{COMMAND}{period}",
        "json": f"sacct --allusers --duplicates --json{period}",
        "local": f"{COMMAND.replace('SLURM_TIME_FORMAT=%s ', '')}{period}",
    }
    rows = {}
    for form, command in forms.items():
        path = tmp_path / form
        path.write_text(centre.succeed("sh", "-c", command))
        read = read_accounting(path)
        assert read.wrong == []
        columns = [column.name for column in ACCOUNTING.columns]
        by_name = [dict(zip(columns, row, strict=True)) for row in read.rows]
        names = {row.pop("name") for row in by_name}
        rows[form] = sorted(tuple(row.values()) for row in by_name)
        assert (HOSTILE_NAME in names) == (form == "json")
    assert rows["lines"] == rows["json"] == rows["local"]


def check_privacy(centre: Centre) -> None:
    """What belongs to one user, or to root, no other one can read or change."""
    for user in USERS:
        mine = centre.scratch / ("rankwise" if centre.shared else f"{user}/rankwise")
        assert centre.succeed("sh", "-c", f"ls {mine}/*.rankwise | head -n 1", user=user)
        tests = ["-type", "f", "!", "-user", user, "(", "-readable", "-o", "-writable", ")"]
        found = centre.slurm.run("find", centre.scratch, *tests, user=user)
        assert found.stdout == ""
        before = profiles(centre)
        centre.slurm.run(
            "find", centre.scratch, "!", "-user", user, "-name", "*.rankwise", "-delete", user=user
        )
        assert profiles(centre) == before


def profiles(centre: Centre) -> list[Path]:
    return sorted(centre.scratch.rglob("*.rankwise"))


def check(centre: Centre, jobs: Sequence[Job], tmp_path: Path) -> None:
    assert list(centre.scratch.rglob("*.rankwise-run")) == [], "no Epilog has collected them"
    # As cron starts it.
    configuration = f"SLURM_CONF={centre.slurm.configuration}"
    nightly = centre.slurm.run("env", "-i", "PATH=/usr/bin:/bin", configuration, centre.place / "nightly")
    assert (nightly.returncode, nightly.stderr) == (0, "")
    check_runs(centre, centre.data / "store", jobs)
    check_once(centre, jobs)
    check_outputs_are_equal(centre, tmp_path)
    check_privacy(centre)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("arrangement", few([(SHARED,), (OWN,)], 1), ids=lambda arrangement: arrangement.name)
def test_ten_jobs(centre: Centre, arrangement: Arrangement, tmp_path: Path) -> None:
    centre.set_up(arrangement)
    ann, bob = USERS
    first, second = ("ring", "broadcasts"), ("point_to_point", "fft")
    jobs = submit(centre, ann, [*arrays(centre, first, 2), two_steps(centre)])
    jobs += submit(centre, bob, [*arrays(centre, second, 2), over_nodes(centre)])
    jobs += cancel(centre, ann)
    elsewhere = submit(centre, WITHOUT_SCRATCH, singles(centre, ["ring"]))
    centre.wait([*jobs, *elsewhere], 240)
    jobs += elsewhere if centre.shared else []  # else it has no directory of jobs, and no node may fail
    check(centre, jobs, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_requeued_and_heterogeneous_jobs(centre: Centre, tmp_path: Path) -> None:
    """A job that ran twice, and one with two components: a step uses both, and another one the last."""
    pytest.importorskip("duckdb")
    centre.set_up(OWN)
    user = USERS[0]
    start = f"{KINDS['ring'].start} --ntasks=2"
    requeued = centre.waits(user, HOSTILE_NAME, f"{start} {centre.place / 'ring'}")
    centre.succeed("scontrol", "requeue", requeued)
    # Slurm waits some minutes before it starts such a job again. Where it may start at once, what ends the
    # first time can end the second one, too.
    patience.wait_until(lambda: "PENDING" in centre.succeed("squeue", "--noheader", "--format=%T"), 60)
    patience.wait_until(centre.slurm.nodes_are_idle, 60)
    centre.succeed("scontrol", "update", f"JobId={requeued}", "StartTime=now+6")
    ran_twice = Job(requeued, user, "ring", 2)
    centre.wait([ran_twice], 120)
    both = f"{KINDS['ring'].start} --ntasks=1 --het-group=0,1 {centre.place / 'ring'}"
    last = f"{start} --het-group=1 {centre.place / 'ring'}"
    component = "--ntasks=2 --nodes=1"
    script = f"{centre.place / 'job'} {shlex.quote(f'{both} && {last}')}"
    (heterogeneous,) = centre.submit(user, [f"{component} : {component} {script}"])
    jobs = [ran_twice, Job(heterogeneous, user, "ring", 2, elements=2)]
    centre.wait(jobs, 120)
    centre.succeed(centre.place / "nightly")
    store = centre.data / "store"
    runs = Counter((run["job"], run["program"]) for run in centre.rows(store, RUNS))
    assert runs == {(requeued, "faults"): 1, (requeued, "ring"): 1, (heterogeneous, "ring"): 2}
    accounted = of_sacct(centre, jobs)
    assert Counter(row["JobID"] for row in accounted) == {
        requeued: 2,
        f"{heterogeneous}+0": 1,
        f"{heterogeneous}+1": 1,
    }
    hours = sum(int(row["NNodes"]) * int(row["ElapsedRaw"]) for row in accounted) / 3600
    with rankwise.open_centre(store) as opened:
        months = opened.waste().data["recorded"]  # jobs of other tests are there, too, without runs
    assert sum(month["recorded_jobs"] for month in months) == len(accounted)
    assert sum(month["recorded_node_hours"] for month in months) == pytest.approx(hours, abs=1e-9)
    check_outputs_are_equal(centre, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
def test_two_hundred_jobs(centre: Centre, tmp_path: Path) -> None:
    centre.set_up(OWN)
    jobs = [*run_out_of_time(centre, USERS[0]), *cancel(centre, USERS[1])]  # before the others fill the queue
    for user in USERS:
        planned = [*arrays(centre, KINDS, 20), *singles(centre, [*KINDS] * 4)]
        planned += [two_steps(centre), over_nodes(centre)] * 2
        jobs += submit(centre, user, planned)
    centre.wait(jobs, 1800)
    check(centre, jobs, tmp_path)
