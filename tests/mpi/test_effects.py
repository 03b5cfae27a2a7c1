"""Whether a rule took effect: by messages, else by the library's calls of its algorithms, else it stays open.

Pairwise and linear Alltoallv send the same messages, in another order; on two processes most algorithms do.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import libraries
import pytest
from libraries import Mpi
from recording import Compile

from rankwise.analysis.opened import opened_profile
from rankwise.launch.detect import detect
from rankwise.launch.signals import Signals
from rankwise.mpi_libraries import version_of
from rankwise.trials.recorded import Command
from rankwise.trials.ways import Runs, Way
from rankwise.tuning.effect import Effect, effects
from rankwise.tuning.libraries import by_label
from rankwise.tuning.settings.apply import materialise
from rankwise.tuning.settings.rule import Rule

sys.path.append(str(Path(__file__).parents[1] / "unit"))
from settings_made import rule, settings

mpi = libraries.in_turn(libraries.ALL)

LIMIT_SECONDS = 120.0


class Job:
    """Runs a program with rules and without."""

    def __init__(self, mpi: Mpi, program: Path, directory: Path, ranks: int, *given: str) -> None:
        self.directory, self.library = directory, detect([str(program)], mpi.env()).library
        self.command = Command(tuple(mpi.launch(ranks, program, *given)), {})
        self.before = self._profile("before", {})
        with opened_profile(self.before) as connection:
            (self.said,) = connection.execute("SELECT mpi_library FROM run").fetchone()

    @property
    def label(self) -> str:
        return version_of(self.said).label

    def effects(self, *rules: Rule) -> list[Effect]:
        made = settings(*rules)
        made = replace(made, about=replace(made.about, library=self.said))
        place = self.directory / f"rules-{len(list(self.directory.iterdir()))}"
        place.mkdir()
        result = effects(self.before, self._profile("after", materialise(made, place, self.library)), rules)
        assert result.others == []
        return result.rules

    def _profile(self, name: str, variables: dict[str, str]) -> Path:
        # What the library is, is not known before it has run: watching does no harm.
        with Signals() as signals:
            runs = Runs(self.directory, signals, LIMIT_SECONDS)
            return runs.profile(Way(name, self.command, variables), 1, inside=True, watch=True)


@pytest.fixture
def environment(mpi: Mpi, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in mpi.env().items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("environment")
@pytest.mark.only_on(lambda mpi: mpi.family == "openmpi", "others call their algorithms by hidden names")
@pytest.mark.reported("tune/bad")
def test_alltoallv_in_one_size(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    job = Job(mpi, compiled(mpi, "cells.c"), tmp_path, 6)
    assert by_label(job.label).watched
    bcast = rule("Bcast", 6, 4096, 4096, number=1)
    outcomes = job.effects(rule("Alltoallv", 5, number=2), rule("Alltoallv", 4, number=1), bcast)
    pairwise, linear, changed = outcomes
    assert pairwise.verdict == "changed"
    if version_of(job.said).parts < (5,):  # pairwise sends itself a message in 5.0
        assert pairwise.messages == "same"
        assert (pairwise.before, pairwise.after) == (("basic_linear",), ("pairwise",))
    assert (linear.verdict, linear.messages) == ("same calls", "same")  # it is the library's choice, too
    assert linear.after == ("basic_linear",)
    assert (changed.verdict, changed.messages) == ("changed", "other")


@pytest.mark.usefixtures("environment")
@pytest.mark.only_on(lambda mpi: mpi.name == "mpich-debian", "its messages can be seen")
@pytest.mark.reported("tune/mpich_bad_alltoall")
def test_the_same_messages_are_no_proof(mpi: Mpi, compiled: Compile, tmp_path: Path) -> None:
    job = Job(mpi, compiled(mpi, "collectives_given.c"), tmp_path, 2, "1", "alltoall:65536:20:world")
    [effect] = job.effects(rule("Alltoall", 2, 65536, 65536, "MPIR_Alltoall_intra_brucks"))
    assert (effect.verdict, effect.messages) == ("not visible", "same")
