"""Programs in containers that don't see the files of their host: Charliecloud's, made of host folders."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import recording
from libraries import Mpi
from recording import LIMIT_SECONDS, RANKWISE, Compile

from golden import assert_facts
from rankwise._files import installed
from rankwise.launch.rundirectory import RunDirectory

RANKS = 2
STOP = "/usr"  # is there: the program stops at once
LIBRARY = installed("lib/librankwise.so").parent


class Box:
    """An image that has what is in /usr and /etc here, and a mount point for the library."""

    def __init__(self, image: Path) -> None:
        self._image = image
        for name in ("usr", "etc", "proc", "sys", "dev", "tmp", "home", "root", "var", "opt", "run"):
            (image / name).mkdir(parents=True)
        for name in ("bin", "lib", "lib64", "sbin"):
            (image / name).symlink_to(f"usr/{name}")
        (image / LIBRARY.relative_to("/")).mkdir(parents=True, exist_ok=True)

    def words(self, *program: str | Path, binds: tuple[Path, ...] = ()) -> list[str]:
        """What runs a program in it."""
        options = [f"--bind={place}:{place}" for place in (Path("/usr"), Path("/etc"), *binds)]
        return ["ch-run", *options, "--no-passwd", str(self._image), "--", *map(str, program)]

    def words_alone(self, program: Path, *arguments: str) -> list[str]:
        """What runs a copy of a program that sees nothing of /tmp, where the library may be."""
        shutil.copy(program, self._image / "opt")
        first, *rest = self.words(Path("/opt") / program.name, *arguments)
        return [first, "--private-tmp", *rest]


in_usr = pytest.mark.only_on(
    lambda mpi: (shutil.which(mpi.mpirun) or "").startswith("/usr/"),
    "it is not in /usr, which is what the container sees",
)


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Box:
    if not shutil.which("ch-run"):
        pytest.skip("no ch-run: apt-get install charliecloud")
    monkeypatch.setenv("USER", "somebody")  # ch-run insists
    # Each rank has a user namespace of its own, in which UCX can't share memory with the others.
    monkeypatch.setenv("UCX_TLS", "tcp,self")
    # Open MPI's processes meet by files, which are in /tmp where nothing else is said.
    monkeypatch.setenv("OMPI_MCA_orte_tmpdir_base", "/dev/shm")
    made = Box(tmp_path / "image")
    tried = subprocess.run(made.words("true"), capture_output=True, text=True, timeout=60)
    if tried.returncode:
        pytest.skip(f"ch-run does not work here: {tried.stderr.strip()}")
    return made


@in_usr
def test_a_container_that_sees_the_library_is_recorded(
    mpi: Mpi, box: Box, compiled: Compile, tmp_path: Path
) -> None:
    program = compiled(mpi, "busy.c")
    command = mpi.launch(RANKS, *box.words(program, STOP, binds=(LIBRARY,)))
    done = recording.run_on(mpi, command, tmp_path / "a.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert set(done.calls("MPI_Init")) == set(range(RANKS))


@in_usr
def test_a_container_that_does_not_is_told(mpi: Mpi, box: Box, compiled: Compile, tmp_path: Path) -> None:
    program = compiled(mpi, "busy.c")
    done = recording.run_on(mpi, mpi.launch(RANKS, *box.words_alone(program, STOP)), tmp_path / "a.rankwise")
    assert done.process.returncode == 1
    assert f"add to `ch-run`: -b {LIBRARY} -b {tmp_path}\n" in done.process.stderr


@in_usr
def test_ranks_of_which_one_is_in_a_container(mpi: Mpi, box: Box, compiled: Compile, tmp_path: Path) -> None:
    program = compiled(mpi, "busy.c")
    command = [*mpi.launch(1, program, STOP), ":", "-n", "1", *box.words_alone(program, STOP)]
    done = recording.run_on(mpi, command, tmp_path / "a.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert f"; add to `ch-run`: -b {LIBRARY} -b {tmp_path}\n" in done.process.stderr


def _without_the_library(program: Path) -> bool:
    """Whether a process of the program has an MPI library in its memory, but not ours."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it is gone
            maps = (process / "maps").read_text()
            if str(program) in maps and "libmpi" in maps and "librankwise" not in maps:
                return True
    return False


def test_a_hidden_library_is_told_of_any_namespace(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rank 1 has a file system of its own in which the folder of the library is empty."""
    tried = subprocess.run(["unshare", "-m", "true"], capture_output=True, text=True, timeout=60)
    if tried.returncode:
        pytest.skip(f"no mount namespace without being root: {tried.stderr.strip()}")
    monkeypatch.setenv("UCX_TLS", "tcp,self")
    program = compiled(mpi, "busy.c")
    sign = tmp_path / "stop"
    hide = f'mount -t tmpfs none "{LIBRARY}" && exec "$@"'
    hidden = ["unshare", "-m", "sh", "-c", hide, "sh", str(program), str(sign)]
    output = tmp_path / "a.rankwise"
    command = [*mpi.launch(1, program, sign), ":", "-n", "1", *hidden]
    words = [str(RANKWISE), "run", "--quiet", "-o", str(output), "--", *command]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=mpi.env(), cwd=tmp_path) as process:
        start = time.monotonic()
        while not RunDirectory(output.with_name("a.rankwise-run"), ours=False).has_counters():
            assert time.monotonic() < start + LIMIT_SECONDS
            time.sleep(0.05)
        while not _without_the_library(program):
            assert time.monotonic() < start + LIMIT_SECONDS
            time.sleep(0.05)
        # Looks come 2, 6, 14 and 30 s after the start, and so on.
        elapsed = time.monotonic() - start
        time.sleep(3 * max(elapsed, 2) - elapsed + 1)
        sign.touch()
        printed = process.communicate(timeout=LIMIT_SECONDS)[1]
    assert process.returncode == 0, printed
    assert_facts(printed, f"rank 1 .. {os.uname().nodename} .. {LIBRARY}/librankwise.so")
