"""The ways in which a program comes to run: several programs, scripts, wrappers, no launcher, no MPI.

The program is programs/faults.c with nothing going wrong: each rank makes a known number of calls.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import libraries
import pytest
import recording
from libraries import Mpi
from recording import Compile, Recording

from golden import assert_facts

ROUNDS, BYTES = 10, 100


@dataclass
class Place:
    """A directory with the program and scripts in it."""

    mpi: Mpi
    program: Path
    directory: Path

    def script(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def copy(self, name: str) -> Path:
        """The program under another name."""
        return Path(shutil.copy(self.program, self.directory / name))

    def launch_line(self, ranks: int, *program: str | Path) -> str:
        """A launch as a line of a script."""
        return shlex.join(self.mpi.launch(ranks, *program))

    def run(self, *words: str | Path) -> Recording:
        """Runs a command under Rankwise."""
        return recording.run([str(word) for word in words], self.directory / "out.rankwise", self.mpi.env())

    def plain(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a command without."""
        return subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            timeout=60,
            env=self.mpi.env(),
            cwd=self.directory,
        )


mpi = libraries.in_turn(libraries.ONE_OF_EACH_LAUNCHER)


@pytest.fixture
def place(mpi: Mpi, compiled: Compile, tmp_path: Path) -> Place:
    return Place(mpi, compiled(mpi, "faults.c"), tmp_path)


def assert_known_calls(done: Recording, ranks: int) -> None:
    """That the profile holds one complete world."""
    assert done.path.exists(), done.process.stderr
    everyone = range(ranks)
    assert done.rows("SELECT ranks_seen, ranks_expected, partial_reason FROM run") == [(ranks, ranks, "")]
    assert done.calls("MPI_Send") == dict.fromkeys(everyone, (ROUNDS, ROUNDS * BYTES, 0))
    assert done.calls("MPI_Irecv") == dict.fromkeys(everyone, (ROUNDS, 0, ROUNDS * BYTES))
    assert done.calls("MPI_Allreduce") == dict.fromkeys(everyone, (ROUNDS, ROUNDS * 8, 0))
    assert done.messages() == {(r, (r + 1) % ranks): (ROUNDS, ROUNDS * BYTES) for r in everyone}
    assert done.communicators() == {"W": f"0-{ranks - 1}" if ranks > 1 else "0"}
    assert done.warnings == []


def output(ranks: int) -> list[str]:
    return [f"rank {rank} is done" for rank in range(ranks)]


def profiles(place: Place) -> list[Recording]:
    nothing = subprocess.CompletedProcess("", 0, "", "")
    return [Recording(nothing, path) for path in sorted(place.directory.glob("*.rankwise"))]


def test_several_programs(place: Place) -> None:
    first, second = place.copy("one"), place.copy("two")
    done = place.run(*place.mpi.launch(1, first), ":", "-n", "2", second)
    assert done.process.returncode == 0, done.process.stderr
    assert sorted(done.process.stdout.splitlines()) == output(3)
    assert_known_calls(done, 3)


@pytest.mark.parametrize("how", ["", "exec "], ids=["called", "exec"])
def test_the_program_is_a_script(place: Place, how: str) -> None:
    script = place.script("job", f"echo in the script\n{how}{shlex.quote(str(place.program))}")
    done = place.run(*place.mpi.launch(2, script))
    assert done.process.returncode == 0, done.process.stderr
    assert sorted(done.process.stdout.splitlines()) == [*["in the script"] * 2, *output(2)]
    assert_known_calls(done, 2)


def test_a_script_that_launches(place: Place) -> None:
    script = place.script("job", f"{place.launch_line(3, place.program)}\nexit 5")
    done = place.run(script)
    assert done.process.returncode == 5, done.process.stderr
    assert sorted(done.process.stdout.splitlines()) == output(3)
    assert_known_calls(done, 3)
    assert done.rows("SELECT exit_status FROM run") == [(5,)]


def test_a_script_that_launches_twice(place: Place) -> None:
    lines = [place.launch_line(ranks, place.program) for ranks in (2, 3)]
    done = place.run(place.script("job", "\n".join(lines)))
    assert done.process.returncode == 0, done.process.stderr
    recordings = profiles(place)
    assert [recorded.path.name for recorded in recordings] == ["out.2.rankwise", "out.rankwise"]
    # (It is told, but not with --quiet, as here.)
    assert "MPI programs" not in done.process.stderr
    assert_known_calls(recordings[1], 2)
    assert_known_calls(recordings[0], 3)


def test_programs_of_a_script_are_named(place: Place, compiled: Compile) -> None:
    program = place.copy("ocean")
    hostile = ["rows", "0", "a\x1b[31mb", "", "c d", "e" * 20_000]
    constants = subprocess.run(
        [compiled(place.mpi, "constants.c")], capture_output=True, text=True, timeout=60, env=place.mpi.env()
    ).stdout.split()
    python = [sys.executable, "-u", recording.PROGRAMS / "with_ctypes.py", *constants]
    lines = [place.launch_line(ranks, program, *words) for ranks, words in ((3, []), (2, hostile))]
    script = place.script("job", "\n".join([lines[0], place.launch_line(2, *python), lines[1]]))
    done = subprocess.run(
        [recording.RANKWISE, "run", "--", script],
        capture_output=True,
        text=True,
        timeout=120,
        env={**place.mpi.env(), "PBS_JOBID": "7", "COLUMNS": "120"},
        cwd=place.directory,
    )
    assert done.returncode == 0, done.stderr
    names = ["ocean.7.rankwise", "with_ctypes.7.rankwise", "ocean.7.2.rankwise"]
    recordings = [Recording(done, place.directory / name) for name in names]
    assert sorted(path.name for path in place.directory.glob("*.rankwise")) == sorted(names)
    for profile, ranks, world in zip(recordings, (3, 2, 2), (1, 2, 3), strict=True):
        assert profile.rows("SELECT ranks_seen, world, worlds FROM run") == [(ranks, world, 3)]
    first, second, [words] = (
        json.loads(str(text))
        for profile in recordings
        for (text,) in profile.rows("SELECT programs FROM run")
    )
    assert first == [[str(program)]]
    assert second == [[str(word) for word in python]]
    assert words[:6] == [str(program), "rows", "0", "a\ufffd[31mb", "", "c d"]
    assert words[6] == "e" * (len(words[6]) - 1) + "\u2026"
    assert len(words[6]) < 1024

    printed = done.stderr[done.stderr.index("rankwise: ") :].splitlines()
    assert_facts(printed[0], "rankwise: .. 3 ")
    assert [line.split()[-1] for line in printed[1:5]] == ["profile", *names]
    assert not printed[5]
    assert "\x1b" not in done.stderr
    walls = [profile.rows("SELECT wall FROM run")[0][0] for profile in recordings]
    shown = names[walls.index(max(walls))]  # type: ignore[type-var]
    assert re.match(rf"next:     rankwise (show|explain) {re.escape(shown)} ", printed[-2])
    head = recordings[1].shown().splitlines()[0]
    assert re.fullmatch(r"rankwise \S+  \S*/with_ctypes\.py .*", head), head


def test_a_script_that_launches_two_at_once(place: Place) -> None:
    # The second world comes up between the ranks of the first: only what identifies a world tells them apart.
    program = shlex.quote(str(place.program))
    late = place.script(
        "late", f'[ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = 1 ] && sleep 2\nexec {program} rows 1'
    )
    lines = [
        f"{place.launch_line(2, late)} &",
        "sleep 1",
        f"{place.launch_line(3, place.program, 'rows', '2')} &",
        "wait",
    ]
    done = place.run(place.script("job", "\n".join(lines)))
    assert done.process.returncode == 0, done.process.stderr
    duplicates = [recorded.calls("MPI_Comm_dup") for recorded in profiles(place)]
    assert sorted(duplicates, key=len) == [
        dict.fromkeys(range(2), (1, 0, 0)),
        dict.fromkeys(range(3), (2, 0, 0)),
    ]


def test_wrappers_before_the_launcher(place: Place) -> None:
    script = place.script("job", f'echo "SAID=$SAID"\nexec {shlex.quote(str(place.program))}')
    words = ["env", "SAID=a b", "timeout", "50", *place.mpi.launch(2, script)]
    done = place.run(*words)
    assert done.process.returncode == 0, done.process.stderr
    assert sorted(done.process.stdout.splitlines()) == [*["SAID=a b"] * 2, *output(2)]
    assert_known_calls(done, 2)


def test_an_empty_environment(place: Place) -> None:
    # Open MPI 5 doesn't start without HOME.
    needed = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    kept = [f"{name}={value}" for name, value in (needed | place.mpi.environment).items()]
    words = ["env", "-i", *kept, *place.mpi.launch(2, place.program)]
    assert place.plain(*words).returncode == 0
    done = place.run(*words)
    assert done.process.returncode == 0, done.process.stderr
    assert_known_calls(done, 2)


def test_a_wrapper_between_launcher_and_program(place: Place) -> None:
    done = place.run(*place.mpi.launch(2, "env", "-u", "LD_PRELOAD", "SAID=x", place.program))
    assert done.process.returncode == 0, done.process.stderr
    assert_known_calls(done, 2)


def test_time_is_up(place: Place) -> None:
    # The limit is the job's own; nobody sends a signal to Rankwise.
    words = ["timeout", "4", *place.mpi.launch(2, place.program, "hang", "1")]
    done = place.run(*words)
    assert done.process.returncode == 124, done.process.stderr
    [(partial, reason)] = done.rows("SELECT partial, partial_reason FROM run")
    assert partial == 1
    assert_facts(str(reason), "2 .. 2 .. MPI_Finalize")
    assert done.calls("MPI_Send") == dict.fromkeys(range(2), (ROUNDS, ROUNDS * BYTES, 0))


def test_no_launcher(place: Place) -> None:
    plain = place.plain(place.program)
    if plain.returncode != 0:
        pytest.skip(f"{place.mpi.name} can't start a program without a launcher here: {plain.stderr.strip()}")
    done = place.run(place.program)
    assert done.process.returncode == 0, done.process.stderr
    assert done.process.stdout.splitlines() == output(1)
    assert_known_calls(done, 1)


def test_no_launcher_several_times(place: Place) -> None:
    if place.plain(place.program).returncode != 0:
        pytest.skip(f"{place.mpi.name} can't start a program without a launcher here")
    program = shlex.quote(str(place.program))
    done = place.run(place.script("job", f"{program}\n{program} & {program} & wait"))
    assert done.process.returncode == 0, done.process.stderr
    recordings = profiles(place)
    assert len(recordings) == 3
    for recorded in recordings:
        assert_known_calls(recorded, 1)


# --- Nothing that can be recorded ---------------------------------------------------------------------------


def assert_nothing_seen(done: Recording) -> str:
    """The one line of ours; nothing is left lying."""
    assert not done.path.exists()
    assert not done.path.with_name(f"{done.path.name}-run").exists()
    said = [line for line in done.process.stderr.splitlines() if line.startswith("rankwise: ")]
    assert len(said) == 1, done.process.stderr
    return said[0]


def test_no_mpi_program_under_a_launcher(place: Place) -> None:
    # MPICH 5's launcher loses what a process says that ends at once.
    says = 'BEGIN { print "hello"; fflush(); system("sleep 0.3") }'
    done = place.run(*place.mpi.launch(2, "awk", says))
    assert done.process.stdout == "hello\nhello\n"
    assert done.process.returncode == 1
    line = assert_nothing_seen(done)
    assert_facts(line, "rankwise: .. awk ")


def test_no_mpi_program_that_fails(place: Place) -> None:
    words = place.mpi.launch(2, place.script("job", "exit 4"))
    done = place.run(*words)
    assert done.process.returncode == place.plain(*words).returncode != 0
    assert "no MPI process was seen" in assert_nothing_seen(done)


# Stands for a static MPI library, which few machines have: what counts is that the program defines MPI_Init.
# (As above, it doesn't end at once.)
STATIC = """
#include <stdio.h>
#include <unistd.h>
int MPI_Init(int *argc, char ***argv) { return argc == 0 && argv == 0; }
int main(int argc, char **argv) {
  int rc = MPI_Init(&argc, &argv);
  puts("static");
  fflush(stdout);
  usleep(300000);
  return rc;
}
"""


@pytest.fixture(params=["-static", "-O0"], ids=["static", "own MPI_Init"])
def static_program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    compiler = os.environ.get("CC") or "cc"
    program = tmp_path / "static"
    words = [*compiler.split(), request.param, "-rdynamic", "-x", "c", "-", "-o", str(program)]
    if request.param == "-static":
        words.remove("-rdynamic")
    made = subprocess.run(words, input=STATIC, capture_output=True, text=True, timeout=60)
    if made.returncode != 0:
        pytest.skip(f"{compiler} can't link statically here")
    return program


def test_statically_linked(place: Place, static_program: Path) -> None:
    done = place.run(*place.mpi.launch(2, static_program))
    assert done.process.returncode == 2
    assert done.process.stdout == ""  # nothing was started
    line = assert_nothing_seen(done)
    assert "has MPI linked in statically" in line
    assert str(static_program) in line


def test_statically_linked_behind_a_script(place: Place, static_program: Path) -> None:
    script = place.script("job", f"exec {shlex.quote(str(static_program))}")
    done = place.run(*place.mpi.launch(2, script))
    assert done.process.stdout == "static\nstatic\n"
    assert done.process.returncode == 1
    assert "statically linked" in assert_nothing_seen(done)
