"""The launch inside a script, seen while the script runs."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import pytest
from fake_mpi import script

from rankwise.errors import RankwiseError
from rankwise.launch.inner_launch import Inner, LaunchWatch
from rankwise.launch.signals import Signals
from rankwise.trials.process import run
from rankwise.tuning.launched import refuse_inside
from rankwise.tuning.program import OwnSettingsError, Program

if TYPE_CHECKING:
    from rankwise.launch.plan import Plan

OPEN_MPI = "Open MPI v4.1.4, package: Debian"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With launchers that only wait: `mpirun 0.5` is one for half a second."""
    (tmp_path / "bin").mkdir()
    for name in ("mpirun", "mpiexec.hydra"):
        (tmp_path / "bin" / name).symlink_to("/bin/sleep")
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def seen(place: Path, text: str, added: Mapping[str, str | None] | None = None) -> list[Inner]:
    watch = LaunchWatch(added or {})
    environment = {"PATH": f"{place / 'bin'}:/usr/bin:/bin", **dict.fromkeys(added or {}, "ours")}
    words = [str(script(place / "job.sh", text))]
    assert run(words, environment, place / "out", 60.0, Signals(), watch).status == 0
    return watch.launches


def test_a_launch_is_found_with_what_the_script_has_set(place: Path) -> None:
    (inner,) = seen(place, "sleep 0.3; export OWN=1; mpirun 1; sleep 0.2")
    assert inner.words == ("mpirun", "1")
    assert inner.environment["OWN"] == "1"


def test_a_quick_launch_is_seen(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look sees what the script has started, also where it is too early for all processes."""
    watch = LaunchWatch()
    words = ["sh", "-c", "read go; mpirun 60 & read stop; kill $!"]
    environment = {"PATH": f"{place / 'bin'}:/usr/bin:/bin"}
    with subprocess.Popen(words, stdin=subprocess.PIPE, env=environment, start_new_session=True) as process:
        watch.look(process.pid)
        assert not watch.launches
        now = time.monotonic()
        monkeypatch.setattr("rankwise.launch.inner_launch.time.monotonic", lambda: now - 1)
        os.write(cast("IO[bytes]", process.stdin).fileno(), b"go\n")
        for _ in range(3000):
            watch.look(process.pid)
            if watch.launches:
                break
            time.sleep(0.01)
        process.communicate(b"stop\n", timeout=60)
    assert [inner.words for inner in watch.launches] == [("mpirun", "60")]


def test_what_rankwise_had_added_is_taken_away(place: Path) -> None:
    (inner,) = seen(place, "mpirun 1", {"LD_THEIRS": "before", "RANKWISE_X": None})
    assert inner.environment["LD_THEIRS"] == "before"
    assert "RANKWISE_X" not in inner.environment


def test_a_launch_in_another_directory(place: Path) -> None:
    (inner,) = seen(place, f"cd {place / 'there'}; ../bin/mpirun 1")
    assert inner.words == ("env", "-C", str(place / "there"), f"{place / 'there'}/../bin/mpirun", "1")


def test_a_launcher_that_another_one_starts_is_no_launch_of_its_own(place: Path) -> None:
    """As where mpirun of Slurm's own MPI starts srun."""
    (place / "bin" / "srun").symlink_to("/bin/sh")
    (inner,) = seen(place, "srun -c 'mpiexec.hydra 1; true'")
    assert inner.words[:2] == ("srun", "-c")


@pytest.mark.parametrize(
    ("text", "number"),
    [("mpirun 0.5; mpirun 0.5", 1), ("mpirun 0.7; mpiexec.hydra 0.8", 2), ("sleep 0.5", 0)],
)
def test_how_many_launches_differ(text: str, number: int, place: Path) -> None:
    assert len(seen(place, text)) == number


def test_others_launches_are_none_of_ours(place: Path) -> None:
    assert not seen(place, f"setsid {place / 'bin' / 'mpirun'} 0.6")


def test_settings_inside_a_script_are_refused_without_a_price() -> None:
    """The program can't be run without what its script sets; with a launch of the user's own, it can."""

    def with_own(words: tuple[str, ...]) -> Program:
        return Program(
            words, {"OMPI_MCA_coll_tuned_bcast_algorithm": "3"}, cast("Plan", None), None, OPEN_MPI
        )

    script_of, inner = with_own(("./job.sh",)), with_own(("mpirun", "./app"))
    with pytest.raises(OwnSettingsError):
        refuse_inside(inner, inner, rules=True)
    with pytest.raises(RankwiseError, match=r"inside \./job\.sh") as refusal:
        refuse_inside(script_of, inner, rules=True)
    assert not isinstance(refusal.value, OwnSettingsError)
