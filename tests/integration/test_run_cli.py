"""`rankwise run` and `rankwise doctor` from the outside, with small shell scripts as launchers and programs.

The library is an empty one, and the profile a text file that tells what it would be made of; the real ones
are tried in the last test and in tests/mpi.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankwise
from golden import assert_complaint, assert_facts
from rankwise._files import installed
from rankwise.errors import RankwiseError

PACKAGES = Path(rankwise.__file__).parents[1]
MPI_RANK = 'touch "$RANKWISE_DIR/$(uname -n).$$.0a1b.counters"\n'
# The same in the memory of the node, where a process that counts is seen to live.
LIVING_RANK = f"""{MPI_RANK}memory=$TMPDIR/rankwise.$(id -u).$$
mkdir -m 700 "$memory"
printf '\\0%s\\0' "$RANKWISE_DIR" > "$memory/control"
cp "$RANKWISE_DIR"/*.counters "$memory"
"""

# Runs the command line with the stand-ins for library, assembly and summary.
STAND_INS = """
import os, sys, threading, types
import rankwise
import rankwise.commands.messages
rankwise.__path__ = [os.environ["STAND_IN"], *rankwise.__path__]

def assemble(run_directory, output, *, exit_status, interrupted="", force=False, listener=None, **_):
    if os.environ.get("ASSEMBLY") == "fails":
        raise ValueError("no room\\nfor it")
    if os.environ.get("ASSEMBLY") == "is slow":
        for timer in threading.enumerate():
            if isinstance(timer, threading.Timer):
                timer.join()
    ranks = len(list(run_directory.glob("*.counters")))
    note = (run_directory / "launch.json").read_text()
    output.write_text(f"{ranks} ranks, status {exit_status}, {interrupted or 'not interrupted'}\\n{note}")
    return types.SimpleNamespace(path=output, others=(), idle=0)

def print_longest(paths, file):
    [path] = paths
    print("summary of", path.name, file=file)

for name, function in (("profile.assemble", assemble), ("render.terminal.programs", print_longest)):
    module = types.ModuleType(f"rankwise.{name}")
    setattr(module, function.__name__, function)
    sys.modules[module.__name__] = module
if os.environ.get("ASSEMBLY") == "is slow":
    rankwise.commands.messages.PATIENCE_S = 0.1
from rankwise.__main__ import command
command()
"""


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package directory with an empty library in it."""
    cc = shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler")
    place = tmp_path_factory.mktemp("stand-in")
    (place / "lib").mkdir()
    command = [cc, "-shared", "-fPIC", "-x", "c", "-", "-o", str(place / "lib/librankwise.so")]
    subprocess.run(command, input="int empty;", text=True, check=True, timeout=60)
    return place


class Place:
    """An empty directory to run the command line in."""

    def __init__(self, directory: Path, stand_in: Path) -> None:
        self.directory = directory
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PBS_", "LSB_"))}
        self.environment = {**kept, "PYTHONPATH": str(PACKAGES), "STAND_IN": str(stand_in)}
        self.words = [sys.executable, "-c", STAND_INS]

    def rankwise(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        command = [*self.words, *map(str, words)]
        return subprocess.run(
            command, cwd=self.directory, env=self.environment, capture_output=True, text=True, timeout=60
        )

    def start(self, *words: str | Path) -> subprocess.Popen[str]:
        """Starts it in a process group of its own, and waits until the program says that it is there."""
        command = [*self.words, "run", "-o", "a.rankwise", "--", *map(str, words)]
        process = subprocess.Popen(
            command,
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        return process

    def script(self, name: str, text: str) -> Path:
        return script(self.directory / name, text)

    @property
    def profile(self) -> str:
        return (self.directory / "a.rankwise").read_text().splitlines()[0]

    @property
    def files(self) -> set[str]:
        return {p.name for p in self.directory.iterdir()}


@pytest.fixture
def place(tmp_path: Path, stand_in: Path) -> Iterator[Place]:
    directory = tmp_path / "work"
    directory.mkdir()
    yield Place(directory, stand_in)
    directory.chmod(0o700)


def test_output_and_status_are_the_programs_own(place: Place) -> None:
    place.script("app", f'{MPI_RANK}cat; echo "$@" >&2; exit 7\n')
    command = [*place.words, "run", "-o", "a.rankwise", "--", "./app", "b", "-o", "--"]
    done = subprocess.run(
        command,
        cwd=place.directory,
        env=place.environment,
        input="in",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "in"
    assert done.stderr == "b -o --\nsummary of a.rankwise\n"
    assert done.returncode == 7
    assert place.profile == "1 ranks, status 7, not interrupted"
    assert place.files == {"app", "a.rankwise"}  # the run directory is gone


def test_what_the_profile_is_told(place: Place) -> None:
    place.script("app.py", f'{MPI_RANK}test -n "$LD_PRELOAD" && test $(stat -c %a $RANKWISE_DIR) = 700\n')
    place.environment["PBS_JOBID"] = "12.master"
    assert place.rankwise("run", "--quiet", "--", "env", "./app.py", "1").stderr == ""
    note = json.loads((place.directory / "app.12.master.rankwise").read_text().partition("\n")[2])
    assert note["command"] == ["env", "./app.py", "1"]
    assert note["directory"] == str(place.directory)
    assert (note["launcher"], note["job"], note["not_covered"]) == ("", "12.master", None)


def test_launcher_gets_its_options(place: Place) -> None:
    launcher = 'test "$1" = --version && { echo "mpirun (Open MPI) 5.0.0"; exit; }\necho options: "$@"\n' + (
        'shift 2; for w in "$@"; do case $w in *=*) export "$w";; esac; done\n' + MPI_RANK
    )
    place.script("mpirun", launcher)
    place.script("app", "true\n")
    done = place.rankwise("run", "-o", "a.rankwise", "--mpi", "openmpi", "--", "./mpirun", "-n", "2", "./app")
    assert done.stdout.startswith("options: -n 2 -x LD_PRELOAD=")
    ours = f"-x RANKWISE_DIR={place.directory}/a.rankwise-run -x RANKWISE_MPI=openmpi -x RANKWISE_RUN="
    assert re.fullmatch("[0-9a-f]{8} ./app\n", done.stdout.partition(ours)[2])
    assert place.profile.startswith("1 ranks, status 0")


def test_open_files_and_ignored_signals_reach_the_program(place: Place) -> None:
    place.script("app", f"{MPI_RANK}echo three >&3; trap | grep -i pipe; yes | head -1\n")
    command = 'exec 3>three; exec "$@"'
    words = ["sh", "-c", command, "sh", *place.words, "run", "-o", "a.rankwise", "--", "./app"]
    done = subprocess.run(
        words, cwd=place.directory, env=place.environment, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "y\n"
    assert (place.directory / "three").read_text() == "three\n"


@pytest.mark.parametrize(
    ("words", "facts", "status"),
    [
        ([], "`--`", 2),
        (["absent"], "rankwise: absent", 127),
        (["./absent"], "rankwise: ./absent", 127),
        (["mpirun.hydra", "./app"], "rankwise: mpirun.hydra", 127),
        (["./text"], "rankwise: ./text", 126),
        (["sbatch", "job.sh"], "rankwise: sbatch", 2),
    ],
)
def test_nothing_is_started_when_the_command_is_wrong(
    place: Place, words: list[str], facts: str, status: int
) -> None:
    (place.directory / "text").write_text("text\n")
    before = place.files
    done = place.rankwise("run", "--", *words)
    assert_complaint(done.stderr, facts)
    assert done.returncode == status
    assert place.files == before


def test_nothing_is_started_when_mpi_is_static(place: Place) -> None:
    source = "int MPI_Init(void) { return 0; } int main() { return MPI_Init(); }"
    command = ["cc", "-x", "c", "-", "-o", str(place.directory / "app")]
    subprocess.run(command, input=source, text=True, check=True, timeout=60)
    done = place.rankwise("run", "--", "./app")
    assert "has MPI linked in statically" in done.stderr
    assert done.returncode == 2


def test_nothing_is_overwritten(place: Place) -> None:
    place.script("app", f"{MPI_RANK}echo ran\n")
    old = place.directory / "a.rankwise"
    old.write_text("old")
    done = place.rankwise("run", "-o", "a.rankwise", "--", "./app")
    assert (done.stdout, done.returncode, old.read_text()) == ("", 2, "old")
    assert "already exists" in done.stderr
    assert place.rankwise("run", "-o", "a.rankwise", "--force", "--", "./app").returncode == 0
    assert place.profile.startswith("1 ranks")


def test_old_counters_are_not_mixed_in(place: Place) -> None:
    place.script("app", MPI_RANK)
    live = place.directory / "live"
    live.mkdir()
    (live / "host.1.aa.counters").touch()
    (live / "mine").touch()
    words = ("run", "-o", "a.rankwise", "--run-dir", "live")
    assert "is not empty" in place.rankwise(*words, "--", "./app").stderr
    assert place.rankwise(*words, "--force", "--", "./app").returncode == 0
    assert place.profile.startswith("1 ranks")
    assert {p.name for p in live.iterdir()} == {"mine"}  # what is not ours stays


def test_unwritable_places(place: Place) -> None:
    place.script("app", "echo ran\n")
    for output in ("absent/a.rankwise", "app/a.rankwise", "/proc/a.rankwise", "."):
        done = place.rankwise("run", "-o", output, "--", "./app")
        assert (done.stdout, done.returncode, done.stderr.count("\n")) == ("", 2, 1)


def test_program_that_never_calls_mpi(place: Place) -> None:
    assert place.rankwise("run", "--", "true").returncode == 1
    done = place.rankwise("run", "--", "sh", "-c", "exit 5")
    assert done.returncode == 5
    assert done.stderr.startswith("rankwise: no MPI process was seen")
    assert done.stderr.count("\n") == 1
    assert place.files == set()


def test_failing_assembly_hides_nothing(place: Place) -> None:
    place.script("app", f"{MPI_RANK}exit $1\n")
    place.environment["ASSEMBLY"] = "fails"
    done = place.rankwise("run", "-o", "a.rankwise", "--", "./app", "3")
    assert done.returncode == 3
    run_directory = place.directory / "a.rankwise-run"
    assert_facts(done.stderr, f"rankwise: .. no room for it .. `rankwise recover {run_directory}`")
    assert list(run_directory.glob("*.counters"))
    assert place.rankwise("run", "-o", "b.rankwise", "--", "./app", "0").returncode == 1


def test_slow_assembly_is_told_unless_nobody_wants_to_know(place: Place) -> None:
    place.script("app", MPI_RANK)
    place.environment["ASSEMBLY"] = "is slow"
    done = place.rankwise("run", "-o", "a.rankwise", "--", "./app")
    assert_facts(done.stderr, f"rankwise: .. {place.directory}/a.rankwise")
    assert place.rankwise("run", "-q", "-o", "b.rankwise", "--", "./app").stderr == ""


def test_python_is_not_taken_apart_after_a_run(place: Place) -> None:
    place.script("app", "echo done; exit 3\n")
    place.words[-1] = f"import atexit; atexit.register(print, 'taken apart')\n{STAND_INS}"
    done = place.rankwise("run", "--", "./app")
    assert (done.returncode, done.stdout) == (3, "done\n")
    assert "no MPI process was seen" in done.stderr
    assert place.rankwise("--version").stdout.endswith("taken apart\n")


def test_run_directory_is_kept_on_request(place: Place) -> None:
    place.script("app", MPI_RANK)
    assert (
        "run directory kept"
        in place.rankwise("run", "-o", "a.rankwise", "--keep-run-dir", "--", "./app").stderr
    )
    assert "a.rankwise-run" in place.files


COUNTING = MPI_RANK + (
    "got() { echo got $1; }\n"
    'for s in HUP INT TERM USR1; do trap "got $s" $s; done\n'
    "trap 'echo got TERM; stop=1' TERM\n"
    'echo ready; i=0; while [ -z "$stop" ] && [ $i -lt 300 ]; do sleep 0.1; i=$((i + 1)); done; exit 9\n'
)


@pytest.mark.parametrize("to_group", [False, True], ids=["to rankwise alone", "to the group"])
def test_each_signal_reaches_the_command_once(place: Place, to_group: bool) -> None:
    place.script("app", COUNTING)
    process = place.start("./app")
    send = os.killpg if to_group else os.kill
    assert process.stdout
    said = []
    for signum in (signal.SIGUSR1, signal.SIGINT, signal.SIGTERM):
        send(process.pid, signum)
        said += [next(line for line in process.stdout if line.startswith("got"))]
    said += [line for line in process.stdout if line.startswith("got")]
    process.wait(timeout=30)
    assert said == ["got USR1\n", "got INT\n", "got TERM\n"]
    assert process.returncode == 9
    assert place.profile == "1 ranks, status 9, SIGTERM ended the launch"


def test_a_stopped_run_goes_on(place: Place) -> None:
    """It is stopped for longer than it waits at a time: no signal came, and none is lost."""
    place.script("app", COUNTING)
    process = place.start("./app")
    time.sleep(0.3)  # so that it waits
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(2)
    os.kill(process.pid, signal.SIGCONT)
    time.sleep(0.3)
    os.kill(process.pid, signal.SIGTERM)
    output, _ = process.communicate(timeout=30)
    assert [line for line in output.splitlines() if line.startswith("got")] == ["got TERM"]
    assert process.returncode == 9


def test_the_current_directory_was_removed(place: Place) -> None:
    gone = place.directory / "gone"
    gone.mkdir()
    words = ["sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@" run -- true', "sh", gone, *place.words]
    done = subprocess.run(words, env=place.environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert_complaint(done.stderr)


def test_killed_command(place: Place) -> None:
    place.script("app", f"{MPI_RANK}echo ready; kill -9 $$\n")
    process = place.start("./app")
    process.communicate(timeout=30)
    assert process.returncode == 128 + 9
    assert_facts(place.profile, "1 .. 137 .. app .. SIGKILL")


def test_rank_that_outlives_its_launcher(place: Place) -> None:
    place.environment["TMPDIR"] = str(place.directory)
    place.script("rank", f"{LIVING_RANK}echo ready; sleep 1; echo late >> $RANKWISE_DIR/late.counters\n")
    place.script("app", "./rank & wait $!\n")
    process = place.start("./app")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    launchers = [pid for pid in children if "app" in Path(f"/proc/{pid}/comm").read_text()]
    os.kill(int(launchers[0]), signal.SIGKILL)
    process.communicate(timeout=30)
    assert place.profile.startswith("2 ranks, status 137")
    assert not list(place.directory.glob("rankwise.*"))


def test_doctor(place: Place) -> None:
    place.script("app", "true\n")
    done = place.rankwise("doctor", "--", "./app")
    assert done.returncode == 0
    assert "librankwise.so loads" in done.stdout
    done = place.rankwise("doctor", "--json", "--", "./absent")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["works"]) == (1, False)
    assert any("absent " in f["text"] and f["cure"] for f in answer["findings"])


def test_doctor_with_a_library_that_does_not_load(place: Place, tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/librankwise.so").write_text("no library")
    place.environment["STAND_IN"] = str(tmp_path)
    done = place.rankwise("doctor")
    assert "does not load" in " ".join(done.stdout.split())
    assert done.returncode == 1


def test_with_the_built_library(tmp_path: Path) -> None:
    try:
        installed("lib/librankwise.so")
    except RankwiseError:
        pytest.skip("the library is not built")
    if not (shutil.which("mpirun") and shutil.which("mpicc")):
        pytest.skip("no mpirun and mpicc on PATH")
    source = (
        "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }"
    )
    subprocess.run(
        ["mpicc", "-x", "c", "-", "-o", str(tmp_path / "app")],
        input=source,
        text=True,
        check=True,
        timeout=60,
    )
    as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [
        sys.executable,
        "-m",
        "rankwise",
        "run",
        "-o",
        "a.rankwise",
        "--",
        "mpirun",
        "-n",
        "1",
        "./app",
    ]
    environment = {**os.environ, **as_root, "PYTHONPATH": str(PACKAGES)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.rankwise").is_file()
    assert not (tmp_path / "a.rankwise-run").exists()
