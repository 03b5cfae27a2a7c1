"""`rankwise map verify`: what is refused, and what is not even run."""

from __future__ import annotations

import json
from pathlib import Path

import fake_mpi
import pytest
from profiles import write_traffic

from golden import Golden
from rankwise.__main__ import main
from rankwise.analysis.messages.traffic import Whereabouts
from rankwise.launchers.binding import Binding
from rankwise.placement.verification.check_bindings import bound_otherwise, each_bound, misplaced, moved
from rankwise.topology.machine.model import Level, Machine
from rankwise.topology.machine.objects import Object

PARTNERS = [(0, 1, "point-to-point", 1, 1000), (2, 3, "point-to-point", 1, 1000)]


@pytest.fixture
def parted(tmp_path: Path) -> Path:
    return write_traffic(tmp_path / "parted.rankwise", ["a", "b", "a", "b"], PARTNERS)


@pytest.fixture
def mpirun(tmp_path: Path) -> str:
    """A launcher that starts nothing."""
    says = "if [ $1 = --version ]; then echo 'mpirun (Open MPI) 4.1.4'; fi"
    return str(fake_mpi.script(tmp_path / "bin" / "mpirun", says))


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["map", "verify", *map(str, words)]) != 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1].startswith("rankwise: ")
    return captured.err.splitlines()[-1]


def test_nothing_to_gain_is_not_run(
    tmp_path: Path, mpirun: str, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    best = write_traffic(tmp_path / "best.rankwise", ["a", "a", "b", "b"], PARTNERS)
    words = ["map", "verify", str(best), "-o", str(tmp_path / "new"), "--", mpirun, "-n", "4", "true"]
    assert main(words) == 0
    said = capsys.readouterr()
    golden.says(said.out)
    assert said.err == ""
    assert not (tmp_path / "new").exists()
    assert main([*words[:2], "--json", *words[2:]]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["before"], answer["interval"]) == ("nothing to gain", [], None)


def test_options_that_contradict(
    parted: Path, mpirun: str, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    job = ["--", mpirun, "-n", "4", "true"]
    assert "no command" in refusal(capsys, parted)
    assert "--shape" in refusal(capsys, parted, "--shape", "4x2", *job)
    assert "--launcher" in refusal(capsys, parted, "--launcher", "mpich", *job)
    for option, value in (("--pairs", "0"), ("--pairs", "2.5"), ("--resolve", "0"), ("--confidence", "100")):
        assert value in refusal(capsys, parted, option, value, *job)
    golden.says(refusal(capsys, parted, "--budget", "2", *job))
    assert "not found" in refusal(capsys, parted, "--", "/nowhere/mpirun", "-n", "4", "true")


def test_a_directory_that_is_there(
    parted: Path, mpirun: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = ["--", mpirun, "-n", "4", "true"]
    assert "can't be made" in refusal(capsys, parted, "--keep", tmp_path, *job)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "openmpi4.ranks").touch()
    assert "already exists" in refusal(capsys, parted, "-o", tmp_path / "new", *job)


def test_a_launcher_that_starts_nothing(
    parted: Path,
    mpirun: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Golden,
) -> None:
    """It ends with 0 at once: no rank was seen."""
    monkeypatch.chdir(tmp_path)
    line = refusal(capsys, parted, "--", mpirun, "-n", "4", "true")
    [kept] = tmp_path.glob("rankwise-verify-*")
    assert str(kept) in line
    golden.says(line.replace(kept.name, "KEPT"), "MPI")
    assert (kept / "warm-up.before.out").exists()


def test_a_command_that_is_no_launch(
    parted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It might be a launch by an unknown launcher: it is run, and then there is no MPI program."""
    monkeypatch.chdir(tmp_path)
    assert "MPI" in refusal(capsys, parted, "--", "true")


def test_bound_to_processors_of_their_own() -> None:
    assert each_bound(Whereabouts(("a", "a", "b"), ((0,), (1, 2), (0,))))
    assert not each_bound(Whereabouts(("a", "a"), ((0, 1), (1, 2))))
    assert not each_bound(Whereabouts(("a", "a"), ((0,), ())))


MACHINE = Machine(
    (Level("machine"), Level("node"), Level("core")),
    Object(0, tuple(Object(1, (Object(2, os=0), Object(2, os=1)), name) for name in ("a.site", "b.site"))),
    (),
)


def test_bindings_of_a_run(golden: Golden) -> None:
    where = Whereabouts(("a", "b"), ((0, 1), (0, 1)))
    assert moved(where, where) == ""
    golden.says(moved(where, Whereabouts(("a", "c"), ((), ()))), "1")
    assert moved(where, Whereabouts(("a",), ((),))) == "there were 2 ranks and not 1"
    assert misplaced(where, [Binding(0, "a.site"), Binding(1, "b.site")], MACHINE) == ""
    golden.says(misplaced(where, [Binding(0, "a.site"), Binding(1, "a.site")], MACHINE), "1 .. a.site")
    assert misplaced(where, [Binding(0, "a")], MACHINE) == "there were 2 ranks and not 1"


def test_places_of_processors(golden: Golden) -> None:
    bindings = [Binding(0, "a", core=0, cpu=0), Binding(1, "a", core=1, cpu=1)]
    assert misplaced(Whereabouts(("a", "a"), ((0,), (1,))), bindings, MACHINE) == ""
    # Not known: taken for right.
    assert misplaced(Whereabouts(("a", "a"), ((), ())), bindings, MACHINE) == ""
    for cpus in ((1,), (0, 1)):
        wrong = misplaced(Whereabouts(("a", "a"), (cpus, (1,))), bindings, MACHINE)
        golden.says(wrong, "0 .. 0")


def test_bound_otherwise(golden: Golden) -> None:
    own, shared = Whereabouts(("a", "a"), ((0,), (1,))), Whereabouts(("a", "a"), ((0, 1), (0, 1)))
    assert bound_otherwise(own, own) == ""
    golden.says(bound_otherwise(own, shared), "1 .. 2")
