"""A measurement while it runs, its files, and what is said when it fails; without MPI."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import fake_mpi
import numpy as np
import pytest
from fake_mpi import MPICH, compiler, launcher

from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.latency.dense import from_matrices
from rankwise.latency.formats import own
from rankwise.latency.measuring import failure, finish, job, outputs
from rankwise.launch.output import telling_line
from rankwise.launch.signals import Signals
from rankwise.probes.job import End
from rankwise.probes.launch import understand


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return fake_mpi.environment(tmp_path)


def test_names_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden) -> None:
    monkeypatch.chdir(tmp_path)
    files = outputs.Outputs.named(Path("a.json"), "json", {})
    assert (files.path, files.table) == (tmp_path / "a.json", tmp_path / "a.pairs")
    assert files.directory == tmp_path / "a.json-run"
    in_job = outputs.Outputs.named(None, "json", {"SLURM_JOB_ID": "12/3"})
    assert (in_job.path.name, in_job.table and in_job.table.name) == (
        "latency.12_3.json",
        "latency.12_3.pairs",
    )
    log = outputs.Outputs.named(None, "mmpi", {"PBS_JOBID": "7"})
    assert (log.path.name, log.table) == ("latency.7.log", None)
    timed = outputs.Outputs.named(None, "json", {})
    assert timed.path.name.startswith("latency.20")
    with pytest.raises(RankwiseError) as error:
        outputs.Outputs.named(Path("a.pairs"), "json", {})
    golden.says(error.value)


def test_outputs_that_are_refused(tmp_path: Path) -> None:
    files = outputs.Outputs.named(tmp_path / "a.json", "json", {})
    files.check(force=False)
    assert files.table
    files.table.touch()
    with pytest.raises(RankwiseError, match=r"a.pairs already exists"):
        files.check(force=False)
    files.check(force=True)
    (tmp_path / "a.json").mkdir()
    with pytest.raises(RankwiseError, match="is a directory"):
        files.check(force=True)
    with pytest.raises(RankwiseError, match="is not a directory: make it"):
        outputs.Outputs.named(tmp_path / "none" / "a.json", "json", {}).check(force=False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_can_not_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RankwiseError) as error:
        outputs.Outputs.named(tmp_path / "a.json", "json", {}).check(force=False)
    assert str(tmp_path) in str(error.value)


def test_a_directory_of_another_measurement(tmp_path: Path, golden: Golden) -> None:
    files = outputs.Outputs.named(tmp_path / "a.json", "json", {})
    files.make_directory(force=False)
    (files.directory / "pairs").touch()
    with pytest.raises(RankwiseError) as error:
        files.make_directory(force=False)
    golden.says(error.value)
    files.make_directory(force=True)
    assert list(files.directory.iterdir()) == []
    files.remove_directory()
    assert list(tmp_path.iterdir()) == []


def leave(directory: Path, interrupted: bool = False) -> None:
    """Leaves what the probe would: the table, and the header without what only we know."""
    times = np.array([[0.0, 1.5], [1.5, 0.0]])
    about = {"pairs_expected": 1, "seconds": 2.5, "interrupted": interrupted, "mode": "quiet"}
    own.write(from_matrices(["a", "a"], {64: times}, about=about), directory / "header.json")
    (directory / "header.pairs").rename(directory / "pairs")
    written = json.loads((directory / "header.json").read_text())
    del written["format"], written["version"], written["table"]["file"]
    (directory / "header.json").write_text(json.dumps(written))


def test_what_the_probe_leaves_is_put_in_place(tmp_path: Path) -> None:
    files = outputs.Outputs.named(tmp_path / "a.json", "json", {})
    files.make_directory(force=False)
    assert finish.finish(files, {}) is None
    leave(files.directory)
    about = {"format": "rankwise-latency", "version": 1, "command": ["mpirun", "é"]}
    made = finish.finish(files, about)
    assert made == finish.Made(ranks=2, pairs=1, expected=1, seconds=2.5, interrupted=False)
    assert {path.name for path in tmp_path.iterdir()} == {"a.json", "a.pairs", "a.json-run"}
    measurement = own.read(files.path)
    assert measurement.about["command"] == ["mpirun", "é"]
    assert measurement.matrix("min", 64)[0, 1] == 1.5


def test_a_header_that_is_not_whole(tmp_path: Path, golden: Golden) -> None:
    files = outputs.Outputs.named(tmp_path / "a.json", "json", {})
    files.make_directory(force=False)
    leave(files.directory)
    (files.directory / "header.json").write_text('{"sizes": [64')
    with pytest.raises(RankwiseError) as error:
        finish.finish(files, {})
    golden.says(error.value)
    assert [path.name for path in tmp_path.iterdir()] == ["a.json-run"]


def test_nothing_measured_is_nothing_kept(tmp_path: Path) -> None:
    files = outputs.Outputs.named(tmp_path / "a.json", "json", {})
    files.make_directory(force=False)
    leave(files.directory, interrupted=True)
    file = files.directory / "header.json"
    file.write_text(file.read_text().replace('"pairs": 1', '"pairs": 0'))
    assert finish.finish(files, {}) is None
    assert [path.name for path in tmp_path.iterdir()] == ["a.json-run"]


def waiting(directory: Path, shell: str, arrives: signal.Signals | None = None) -> tuple[End, list[str]]:
    """Runs a shell script as the launch; a signal comes as soon as it writes `ready` to the progress."""
    said: list[str] = []

    def listener(done: int, total: int) -> None:
        said.append(f"{done} of {total}")
        if arrives and len(said) == 1:
            os.kill(os.getpid(), arrives)

    with Signals() as signals:
        end = job.run(["sh", "-c", shell], os.environ, directory, signals, listener, said.append)
    return end, said


def test_progress_and_output_of_a_launch(tmp_path: Path) -> None:
    shell = f"echo out; echo err >&2; echo '3 4 0.5' >{tmp_path}/progress; exit 7"
    end, said = waiting(tmp_path, shell)
    assert (end.status, end.said.split(), said) == (7, ["out", "err"], ["3 of 4"])


def test_the_first_interrupt_lets_the_probe_end(tmp_path: Path, golden: Golden) -> None:
    shell = f"echo '1 4 0.5' >{tmp_path}/progress; while ! [ -e {tmp_path}/stop ]; do sleep 0.05; done"
    end, said = waiting(tmp_path, shell, signal.SIGINT)
    assert end.status == 0
    golden.says("\n".join(said), "1 .. 4 .. Ctrl-C")


def test_other_signals_end_the_launch_at_once(tmp_path: Path) -> None:
    end, _ = waiting(tmp_path, f"echo '1 4 0.5' >{tmp_path}/progress; sleep 60", signal.SIGTERM)
    assert end.status == 128 + signal.SIGTERM
    assert not (tmp_path / "stop").exists()


def test_interrupt_before_the_first_step_ends_the_launch(tmp_path: Path) -> None:
    shell = f"kill -INT {os.getpid()}; sleep 60"
    end, said = waiting(tmp_path, shell)
    assert (end.status, said) == (128 + signal.SIGTERM, [])


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("", ""),
        ("-----\nhello there\n-----\n", "hello there"),
        ("ssh: Could not resolve x\n----\nORTE was unable to start", "ssh: Could not resolve x"),
        ("Not enough slots for the 40\nslots that\n\nEither", "40"),
        ("Invalid option:\n\n  Option: --x\n\nUse --help", "Invalid option: Option: --x"),
        ("= PID 7 RUNNING AT n3\n= EXIT CODE: 9\n===\nEXIT STRING: Killed", "EXIT STRING: Killed on n3"),
        ("a failure " + 400 * "x", "a failure " + 287 * "x" + "..."),
    ],
)
def test_the_line_that_tells_most(said: str, line: str, golden: Golden) -> None:
    golden.says(telling_line(said), line)


def test_reasons_of_a_failure(tmp_path: Path, environment: dict[str, str], golden: Golden) -> None:
    launcher(tmp_path / "bin" / "mpirun.mpich", "HYDRA build details:\n    Version:   4.0")
    compiled_with = compiler(tmp_path / "mpicc", MPICH)

    def said(output: str, ranks: int = 4, status: int = 1) -> tuple[str, int]:
        end = End(status, output)
        launch = understand(["mpirun.mpich", "-n", str(ranks)], environment)
        error = failure.failed(end, tmp_path, launch, Path("/c/latency"), compiled_with)
        return str(error), error.exit_status

    text, status = said("lost a node")
    golden.says(text, "1 .. : lost a node")
    assert status == 1
    for output in (
        "could not access\nor execute an executable:\nExecutable: /c/latency\n",
        "[proxy] execvp error on file /c/latency (No such file or directory)",
        "srun: error: task 0: execve(): /c/latency: No such file or directory",
    ):
        assert_facts(said(output)[0], "/c/latency?")
    (tmp_path / "progress").write_text("3 9 1.0\n")
    assert "ended with status 9 after 3 of 9 steps, and" in said("", status=9)[0]
    (tmp_path / "error").write_text("one rank has no partner: start at least two\n")
    assert said("", ranks=1) == ((tmp_path / "error").read_text().strip(), 2)
    assert f"another MPI library than {compiled_with}: name the compiler" in said("")[0]
