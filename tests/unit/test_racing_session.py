"""A job of the probe that does not do what it should, played by a shell script; launches it can't be in."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import fake_mpi
import pytest
from fake_mpi import launcher

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch.signals import Signals
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.cells.cell import Cell, Grouping
from rankwise.tuning.racing.command import understand
from rankwise.tuning.racing.racer import Unfit
from rankwise.tuning.racing.session import Session
from rankwise.tuning.racing.setup import Setup
from rankwise.tuning.settings.rule import Algorithm

CELL = Cell(
    procedure="MPI_Barrier",
    processes=2,
    low=0,
    high=0,
    size=0,
    calls=1,
    seconds=1.0,
    tunable_seconds=1.0,
    groupings=(Grouping(((0, 1),)),),
)
ARMS = {"default": None, "tree": Algorithm("MPIR_Barrier_intra_tree", 1)}
OFFERS = r"""{"variables": [{"name": "MPIR_CVAR_BARRIER_INTRA_ALGORITHM", "value": 0, "writable": true,
"items": [], "description": "auto - Some\nnb   - Other"}]}"""

ABOUT = r"""{"library": "MPICH 4.0\nand more", "hosts": ["a", "a"]}"""

# mpirun -n 2 PROBE DIRECTORY SECONDS. The pilot has 1 arm and 1 round, and is answered well.
PROBE = f"""
cd $4 || exit 9
[ "$START" = refuse ] && {{ echo 'no room here' >error; exit 2; }}
cat >offers <<'END'
{OFFERS}
END
cat >new <<'END'
{ABOUT}
END
mv new about
K=0
while ! [ -e stop ]; do
  sleep 0.02
  [ -e batch.$K ] || continue
  if ! grep -q 'round.*1' batch.$K; then
    echo 'time 0 0 1e-4' >new && mv new times.$K
  else
    echo "$K $PHASE" >now
    [ "$THEN" = hang ] && sleep 100
    echo "fatal error: $THEN"; exit 3
  fi
  K=$((K+1))
done
"""


@pytest.fixture
def signals() -> Iterator[Signals]:
    with Signals() as caught:
        yield caught


def setup(place: Path, signals: Signals, deadline: float = float("inf"), **variables: str) -> Setup:
    mpirun = launcher(place / "bin" / "mpirun.mpich", "HYDRA build details:\n    Version:   4.0")
    mpirun.write_text(mpirun.read_text() + PROBE)
    environment = fake_mpi.environment(place) | variables
    return Setup(
        launch=understand([str(mpirun), "-n", "2", "./app", "x"], environment),
        environment=environment,
        compiler=place / "mpicc",
        program=Path("/probe"),
        directory=place / "probe",
        signals=signals,
        say=lambda _: None,
        deadline=deadline,
        patience=0.5,
    )


def run(session: Session) -> None:
    session.run(CELL, ARMS, [["default", "tree"]])


def test_an_arm_that_ends_the_job(tmp_path: Path, signals: Signals) -> None:
    with Session(setup(tmp_path, signals, PHASE="checks 1", THEN="boom")) as session:
        assert (session.library, session.hosts) == ("MPICH 4.0", ("a", "a"))
        assert session.offered("MPI_Barrier") == (Algorithm("MPIR_Barrier_allcomm_nb", 1),)
        for _ in range(2):  # another job is started
            with pytest.raises(Unfit) as unfit:
                run(session)
            assert list(unfit.value.why) == ["tree"]
            assert unfit.value.why["tree"].endswith("fatal error: boom")


def test_an_arm_that_hangs(tmp_path: Path, signals: Signals) -> None:
    with (
        Session(setup(tmp_path, signals, PHASE="checks 1", THEN="hang")) as session,
        pytest.raises(Unfit, match=r"tree: .* 700 ms"),
    ):
        run(session)


@pytest.mark.parametrize("phase", ["checks 0", "runs 0"])
def test_a_job_that_dies_by_itself(tmp_path: Path, signals: Signals, phase: str) -> None:
    with (
        Session(setup(tmp_path, signals, PHASE=phase, THEN="boom")) as session,
        pytest.raises(RankwiseError, match="3: fatal error: boom"),
    ):
        run(session)


def test_a_probe_that_says_what_is_wrong(tmp_path: Path, signals: Signals) -> None:
    with (
        pytest.raises(RankwiseError, match="no room here"),
        Session(setup(tmp_path, signals, START="refuse")),
    ):
        pass


def test_the_time_is_over(tmp_path: Path, signals: Signals) -> None:
    deadline = time.monotonic() + 0.5
    with (
        pytest.raises(OutOfTime),
        Session(setup(tmp_path, signals, deadline, PHASE="runs 0", THEN="hang")) as session,
    ):
        run(session)


def test_a_signal_ends_it(tmp_path: Path, signals: Signals) -> None:
    with Session(setup(tmp_path, signals, PHASE="runs 0", THEN="hang")) as session:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(Interrupted):
            run(session)


def test_the_probe_takes_the_place_of_each_program(tmp_path: Path) -> None:
    environment = fake_mpi.environment(tmp_path)
    launcher(tmp_path / "bin" / "mpirun.mpich", "HYDRA build details:\n    Version:   4.0")
    words = "env A=b mpirun.mpich -n 2 numactl -m 0 ./app -x : -n 1 python3 viewer.py"
    launch = understand(words.split(), environment)
    assert launch.ranks == 3
    replaced = "env A=b mpirun.mpich -n 2 numactl -m 0 PROBE D : -n 1 PROBE D"
    assert launch.words(["PROBE", "D"]) == replaced.split()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "no command"),
        ("sh run.sh", "MPI"),
        ("mpirun.none -n 2 ./app", "command not found"),
        ("mpirun.mpich -configfile x", ""),
        ("mpirun.mpich -n 2 apptainer exec image ./app", "apptainer exec"),
    ],
)
def test_launches_that_are_refused(tmp_path: Path, words: str, said: str, golden: Golden) -> None:
    environment = fake_mpi.environment(tmp_path)
    launcher(tmp_path / "bin" / "mpirun.mpich", "HYDRA build details:\n    Version:   4.0")
    with pytest.raises(RankwiseError) as error:
        understand(words.split(), environment)
    golden.says(error.value, said)
