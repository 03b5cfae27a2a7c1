"""The user's own settings are left out one way or another, and what they are worth is said."""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from golden import Golden
from rankwise.errors import RankwiseError
from rankwise.launch.commandline import parse
from rankwise.launch.plan import Plan
from rankwise.launch.signals import Signals
from rankwise.render.terminal.own_settings import KEPT, print_priced
from rankwise.trials.plan import Aim
from rankwise.trials.run import Rejected
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.libraries.base import COMMAND_LINE, ENVIRONMENT, Assignment
from rankwise.tuning.own_settings import Priced, may_change_digits, price, words_without
from rankwise.tuning.program import Program
from rankwise.tuning.settings.in_force import contradicting
from rankwise.tuning.settings.without import cures, without

BCAST = "OMPI_MCA_coll_tuned_bcast_algorithm"
RULES = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
EAGER = "OMPI_MCA_btl_vader_eager_limit"
DEFAULTS = {BCAST: "ignore", RULES: "", EAGER: "4096"}


def defaults(launcher: str, environment: Mapping[str, str]) -> Mapping[str, str]:
    del launcher, environment
    return DEFAULTS


@pytest.mark.parametrize(
    ("library", "command", "environment", "wanted"),
    [
        ("Open MPI", "mpirun.openmpi app", {BCAST: "3"}, f"env -u {BCAST} mpirun.openmpi app"),
        (
            "Open MPI",
            "timeout 9 mpirun.openmpi app",
            {BCAST: "3", EAGER: "64", "A": "1"},
            f"env -u {BCAST} -u {EAGER} timeout 9 mpirun.openmpi app",
        ),
        ("Open MPI", f"env {BCAST}=3 mpirun.openmpi app", {}, "mpirun.openmpi app"),
        ("Open MPI", f"env A=1 {BCAST}=3 mpirun.openmpi app", {}, "env A=1 mpirun.openmpi app"),
        (
            "Open MPI",
            f"env {BCAST}=3 mpirun.openmpi app",
            {BCAST: "2"},
            f"env -u {BCAST} mpirun.openmpi app",
        ),
        (
            "Open MPI",
            "mpirun.openmpi -n 2 --mca coll_tuned_bcast_algorithm 3 --mca pml ob1 app x",
            {},
            "mpirun.openmpi -n 2 --mca pml ob1 app x",
        ),
        (
            "Open MPI",
            f"mpirun.openmpi -n 1 -x A=1 app : -n 1 -x {RULES}=r app",
            {},
            "mpirun.openmpi -n 1 -x A=1 app : -n 1 app",
        ),
        ("Open MPI", f"mpirun.openmpi -n 2 env {RULES}=r app", {}, "mpirun.openmpi -n 2 app"),
        ("Open MPI", "mpirun.openmpi --mca coll ^tuned app", {}, "mpirun.openmpi app"),
        (
            "MPICH",
            "mpirun.mpich -genv MPIR_CVAR_BCAST_INTRA_ALGORITHM smp -n 2 app",
            {},
            "mpirun.mpich -n 2 app",
        ),
        ("Intel MPI", "mpiexec.hydra -tune f -n 2 app", {}, "mpiexec.hydra -n 2 app"),
    ],
)
def test_the_command_without_them(
    library: str, command: str, environment: dict[str, str], wanted: str
) -> None:
    words = shlex.split(command)
    theirs = contradicting(library, environment, words, for_speed=True)
    assert theirs
    remaining = without(theirs, words, environment, defaults)
    assert shlex.join(remaining) == wanted
    assert not contradicting(library, environment, remaining, for_speed=True)


def test_what_a_file_sets_is_overridden_by_the_default(tmp_path: Path) -> None:
    (tmp_path / ".openmpi").mkdir()
    file = tmp_path / ".openmpi" / "mca-params.conf"
    file.write_text("coll_tuned_bcast_algorithm = 3\ncoll_tuned_dynamic_rules_filename = /old/rules\n")
    environment = {"HOME": str(tmp_path)}
    words = ["mpirun.openmpi", "-n", "2", "app"]
    theirs = contradicting("Open MPI", environment, words)
    assert [assignment.is_weak for assignment in theirs] == [True, True]
    remaining = without(theirs, words, environment, defaults)
    assert remaining == ("env", f"{BCAST}=ignore", f"{RULES}=", *words)
    assert not contradicting("Open MPI", environment, remaining)
    assert cures(theirs, words)[0] == f"remove `coll_tuned_bcast_algorithm = 3` from {file}"
    with pytest.raises(RankwiseError):
        without(theirs, words, environment, lambda *_: {})


def test_a_file_that_is_overridden_is_not_in_force(tmp_path: Path) -> None:
    (tmp_path / ".openmpi").mkdir()
    (tmp_path / ".openmpi" / "mca-params.conf").write_text("coll_tuned_bcast_algorithm = 3\n")
    home = {"HOME": str(tmp_path)}
    words = ["mpirun.openmpi", "app"]
    assert contradicting("Open MPI", home, words)
    assert not contradicting("Open MPI", {**home, BCAST: "0"}, words)
    [assignment] = contradicting("Open MPI", {**home, BCAST: "2"}, words)
    assert assignment.where == ENVIRONMENT


@pytest.mark.parametrize(
    "command",
    [f"mpirun.openmpi --mca mca_base_env_list 'A=1;{RULES}=r' app", "mpirun.openmpi --tune FILE app"],
)
def test_what_can_not_be_left_out_alone(command: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("coll_tuned_bcast_algorithm = 3\n")
    words = shlex.split(command.replace("FILE", str(tmp_path / "f")))
    theirs = contradicting("Open MPI", {}, words)
    assert theirs
    with pytest.raises(RankwiseError):
        without(theirs, words, {}, defaults)


@pytest.mark.parametrize(
    ("label", "name", "may"),
    [
        ("Open MPI", BCAST, False),
        ("Open MPI", "OMPI_MCA_coll_tuned_allreduce_algorithm", True),
        ("Open MPI", "OMPI_MCA_coll_tuned_reduce_scatter_algorithm", True),
        ("Open MPI", "OMPI_MCA_coll_tuned_exscan_algorithm", True),
        ("Open MPI", RULES, True),
        ("Open MPI", "OMPI_MCA_coll", True),
        ("Open MPI", EAGER, False),
        ("MPICH", "MPIR_CVAR_ALLTOALLV_INTRA_ALGORITHM", False),
        ("MPICH", "MPIR_CVAR_REDUCE_INTRA_ALGORITHM", True),
        ("Intel MPI", "I_MPI_ADJUST_GATHER", False),
        ("Intel MPI", "I_MPI_TUNING_BIN", True),
    ],
)
def test_bitwise_leaves_alone_what_may_change_digits(label: str, name: str, may: bool) -> None:
    assignment = Assignment(name, "3", f"{name}=3", ENVIRONMENT)
    assert may_change_digits(assignment, label) == may
    made = program("mpirun.openmpi app", {name: "3"})
    words_without(made, [assignment], label, bitwise=False)
    if may:
        with pytest.raises(RankwiseError, match="--bitwise"):
            words_without(made, [assignment], label, bitwise=True)
    else:
        words_without(made, [assignment], label, bitwise=True)


def program(command: str, environment: Mapping[str, str]) -> Program:
    words = tuple(shlex.split(command))
    return Program(words, environment, Plan(words, parse(words), (), environment, "", None), None, "")


class MadeUp(Runs):
    """Runs that take what they are said to."""

    def __init__(self, directory: Path, signals: Signals, given: float, other: float | str) -> None:
        super().__init__(directory, signals)
        self._given, self._other, self._number = given, other, 0

    def seconds(self, way: Way, number: int, left: float = 0.0) -> float:
        del number, left
        self.took.append(1.0)
        self._number += 1
        if isinstance(self._other, str) and not way.as_given:
            raise Rejected(self._other)
        usual = self._given if way.as_given or isinstance(self._other, str) else self._other
        return usual * (1 + 0.001 * (self._number * 7 % 5))


BROKEN = "the program failed: it ended with status 1"
THEIRS = (
    Assignment("OMPI_MCA_coll", "^tuned", "--mca coll ^tuned", COMMAND_LINE),
    Assignment(BCAST, "3", f"{BCAST}=3", ENVIRONMENT),
)


@pytest.mark.parametrize(
    ("other", "theirs", "verdict", "facts"),
    [
        (
            0.69,
            THEIRS[1:],
            "faster without",
            f"{BCAST}=3 .. 31.0 % .. unset {BCAST} .. env -u {BCAST} mpirun",
        ),
        (0.69, THEIRS, "faster without", "--mca coll ^tuned .. 31.0 % .. --bitwise"),
        (1.25, THEIRS[1:], "slower without", f"{BCAST}=3 .. 25.0 %"),
        (1.0, THEIRS[1:], "no difference", f"{BCAST}=3 .. unset {BCAST}"),
        (BROKEN, THEIRS[1:], "rejected", f"{BCAST}=3 .. status 1"),
    ],
    ids=["costs", "costs-digits", "pays", "no-difference", "needed"],
)
def test_what_they_are_worth(
    other: float | str,
    theirs: Sequence[Assignment],
    verdict: str,
    facts: str,
    tmp_path: Path,
    golden: Golden,
) -> None:
    outcome = priced(other, theirs, tmp_path)
    assert outcome.verdict == verdict
    assert outcome.can_go == (verdict in ("faster without", "no difference"))
    file = io.StringIO()
    print_priced(outcome, file, *([] if outcome.can_go else [KEPT]))
    golden.says(" ".join(file.getvalue().split()), facts)


def priced(other: float | str, theirs: Sequence[Assignment], directory: Path) -> Priced:
    made = program("mpirun.openmpi -n 2 --mca coll ^tuned app", {BCAST: "3"})
    words = without(theirs, made.words, made.environment, defaults)
    with Signals() as signals:
        runs = MadeUp(directory, signals, 1.0, other)
        return price(made, theirs, words, "Open MPI", Aim(0.95, 0.03), 0, runs, lambda _: None)
