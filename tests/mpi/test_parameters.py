"""Parameters of whole runs: the probe tells the layer in use, its variable is proposed, values are raced."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import libraries
import pytest
from jobs import LauncherHangs
from libraries import Mpi
from recording import Compile

from golden import assert_facts
from rankwise.analysis.opened import opened_profile
from rankwise.errors import RankwiseError
from rankwise.launch import inside_options
from rankwise.launch.signals import Signals
from rankwise.render.terminal.parameters import print_parameters
from rankwise.trials.plan import Aim
from rankwise.trials.recorded import Command, Limit, Recording, record
from rankwise.tuning.parameters.asking import Asker
from rankwise.tuning.parameters.given import checked, read_given
from rankwise.tuning.parameters.known_names import control_of, tool_names
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.parameter import Parameter
from rankwise.tuning.parameters.proposals import asked, propose
from rankwise.tuning.parameters.race import Known, race_parameters

mpi = libraries.in_turn(libraries.ONE_OF_EACH_LAUNCHER)
of_openmpi = pytest.mark.only_on(lambda mpi: mpi.family == "openmpi", "its variables are known")
LIMIT = Limit(60, "it hangs")


@dataclass
class Place:
    """Where the program runs with an MPI library."""

    mpi: Mpi
    program: Path
    directory: Path
    signals: Signals

    def command(self, *words: str) -> Command:
        """Two ranks of the program."""
        return Command(tuple(self.mpi.launch(2, self.program, *words)), self.mpi.environment)

    def asker(self, command: Command) -> Asker:
        """The probe in the program's place."""
        return Asker(command, self.directory, self.signals, self.mpi.mpicc if self.mpi.vendor else "")

    def profile(self, command: Command) -> Path:
        """The profile of a run."""
        path = self.directory / "first.rankwise"
        record(command, Recording(inside_options.nothing()), path, LIMIT, self.signals)
        return path

    def proposed(self, command: Command, layers: Layers) -> list[Parameter]:
        """From the profile of a run."""
        with opened_profile(self.profile(command)) as connection:
            return propose(connection, layers)


@pytest.fixture
def signals() -> Iterator[Signals]:
    with Signals() as caught:
        yield caught


def placed(mpi: Mpi, compiled: Compile, directory: Path, signals: Signals) -> Place:
    return Place(mpi, compiled(mpi, "eager.c"), directory, signals)


def test_the_layer_in_use(mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals) -> None:
    place = placed(mpi, compiled, tmp_path, signals)
    asker = place.asker(place.command("1"))
    layers = asker.ask({}, asked())
    assert layers.version.label
    assert layers.names
    assert (layers.processors > 0, layers.nodes) == (True, 1)
    if mpi.family == "openmpi":
        assert layers.pml in ("ob1", "ucx", "cm")
        assert ("self" in layers.btls) == (layers.pml == "ob1")
    elif not mpi.vendor:
        assert layers.netmod in ("ucx", "ofi")


def test_a_variable_that_is_in_force_on_the_ranks(
    mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals
) -> None:
    place = placed(mpi, compiled, tmp_path, signals)
    variable = {"openmpi": "OMPI_MCA_btl_self_eager_limit"}.get(mpi.family, "MPIR_CVAR_CH4_NUM_VCIS")
    variable = "I_MPI_SHM_CELL_FWD_SIZE" if mpi.vendor == "Intel" else variable
    value = "2048" if "SIZE" in variable or "limit" in variable else "1"
    control = control_of(variable)
    layers = place.asker(place.command("1")).ask({variable: value}, [control])
    assert layers.values == {control: value}


@of_openmpi
def test_the_eager_limit_of_the_btl_in_use(
    mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals
) -> None:
    """It is found from the profile alone, and raced: two rounds show nothing, but all is told."""
    place = placed(mpi, compiled, tmp_path, signals)
    command = place.command("200")
    asker = place.asker(command)
    layers = asker.ask({}, asked())
    if layers.pml != "ob1":
        pytest.skip(f"pml {layers.pml} has no btl")
    [btl] = {"sm", "vader"} & set(layers.btls)
    parameters = {parameter.name: parameter for parameter in place.proposed(command, layers)}
    limit = parameters[f"btl_{btl}_eager_limit"]
    assert (limit.variable, limit.values) == (f"OMPI_MCA_btl_{btl}_eager_limit", (None, "16384"))
    assert limit.present == "4096"
    said: list[str] = []
    known = Known(1.0, ask=asker.ask, layers=layers)
    outcome = race_parameters(command, [limit], [], Aim(rounds=2), tmp_path, signals, said.append, 1, known)
    [step] = outcome.steps
    [tried] = step.tried
    assert (tried.seen, tried.why_not, step.kept) == (True, "", None)
    assert tried.interval
    assert tried.interval.pairs == 2
    assert (outcome.verdict, outcome.environment) == ("no gain", {})
    assert_facts(said[0], "1 .. 1")
    page = io.StringIO()
    print_parameters(outcome, page)
    assert f"btl_{btl}_eager_limit" in page.getvalue()
    assert "confirmed in force" in " ".join(page.getvalue().split())


@of_openmpi
def test_a_program_that_sends_nothing(mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals) -> None:
    place = placed(mpi, compiled, tmp_path, signals)
    command = place.command()
    layers = place.asker(command).ask({}, asked())
    assert not [parameter for parameter in place.proposed(command, layers) if "eager" in parameter.name]


@of_openmpi
@pytest.mark.slow_on(lambda mpi: mpi.share < 1, "its mpirun hangs now and then")
def test_a_value_with_which_the_library_does_not_start(
    mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals
) -> None:
    place = placed(mpi, compiled, tmp_path, signals)
    with pytest.raises(RankwiseError) as refused:
        place.asker(place.command("1")).ask({"OMPI_MCA_pml": "none_such"})
    if "had not ended" in str(refused.value):  # Open MPI 5's mpirun hangs now and then when no rank starts
        raise LauncherHangs(str(refused.value))
    assert "status" in str(refused.value)


@of_openmpi
def test_what_an_option_of_the_launcher_overrides(
    mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals
) -> None:
    """Of --bind-to, 5.0 takes the option and 4.1 the variable. A value without effect is not run at all."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("bound or not, there is one processor")
    place = placed(mpi, compiled, tmp_path, signals)
    launcher, *rest = place.command("10").words
    command = Command((launcher, "--bind-to", "none", *rest), mpi.environment)
    asker = place.asker(command)
    layers = asker.ask({})
    [parameter] = [proposal for proposal in place.proposed(command, layers) if proposal.shows == "processors"]
    known = Known(1.0, ask=asker.ask, layers=layers)
    outcome = race_parameters(command, [parameter], [], Aim(rounds=2), tmp_path, signals, print, 1, known)
    [step] = outcome.steps
    if layers.version.parts < (5,):
        assert (step.tried[0].seen, step.tried[0].why_not) == (True, "")
    else:
        assert step.tried[0].why_not
        assert step.skipped


@of_openmpi
def test_a_list_of_the_user_s(mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals) -> None:
    place = placed(mpi, compiled, tmp_path, signals)
    path = tmp_path / "list"
    path.write_text("btl_self_eager_limit = 2k\nrequire btl_self_eager_limit <= btl_self_max_send_size\n")
    given = read_given(path)
    asker = place.asker(place.command("1"))
    layers = asker.ask({}, given.names)
    ask = tool_names(asker.launcher, asker.environment)
    assert checked(given, layers, ask).parameters[0].present == "1024"
    path.write_text("btl_self_eager_limits = 2k\n")
    with pytest.raises(RankwiseError, match=r"list:1: .*\bbtl_self_eager_limits\b.*\bbtl_self_eager_limit\b"):
        checked(read_given(path), layers, ask)


def test_a_new_try_where_another_has_ended_early(
    mpi: Mpi, compiled: Compile, tmp_path: Path, signals: Signals
) -> None:
    """What a try has left that found a mistake, failed or was killed blocks no other one."""
    place = placed(mpi, compiled, tmp_path, signals)
    place.asker(place.command("1")).ask({})
    assert (tmp_path / "layers.01.rankwise").exists()
    (tmp_path / "layers.01.rankwise-run").mkdir(mode=0o700)
    (tmp_path / "layers.01.rankwise-run" / "0.counters").write_text("left")
    assert place.asker(place.command("1")).ask({}).version.label
    assert not (tmp_path / "layers.01.rankwise-run").exists()


def test_a_command_without_a_launcher(tmp_path: Path, signals: Signals) -> None:
    with pytest.raises(RankwiseError, match="launcher"):
        Asker(Command(("true",), {}), tmp_path, signals)
