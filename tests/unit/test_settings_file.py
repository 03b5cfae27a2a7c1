"""Files of settings: what is written is read again, and what is none is refused in one line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from settings_made import INTEL, MPICH_4, OPEN_MPI_4, rule, settings

from golden import Golden, assert_facts
from rankwise.errors import RankwiseError
from rankwise.launch.commandline import parse
from rankwise.launch.plan import Plan
from rankwise.launchers.binding import Binding
from rankwise.tuning.program import Program
from rankwise.tuning.settings.apply import materialise, untranslatable
from rankwise.tuning.settings.file import check_new, read, write, write_all
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.places import for_launchers
from rankwise.tuning.settings.rule import Raced

FULL = settings(
    replace(
        rule("Bcast", 4, 10, 20, "pipeline", 3, 8192),
        raced=(
            Raced(16, 100, 0.75, 1, ("0-3", "8-5:-1"), (0.0, 1.5, 0.0, 2.0, 0.0, 0.0, 0.0, 1e-3)),
            Raced(16, 100, 0.25, 0, ("0,2,4,6",)),
        ),
    ),
    replace(rule("Alltoallv", 256), evidence=None),
    environment={"OMPI_MCA_btl_vader_eager_limit": "16384"},
    bindings=(Binding(0, "node1", 0, 1, 1, 2), Binding(1, "node2")),
)


@pytest.mark.parametrize(
    "given", [FULL, settings(), settings(library="MPICH Version:\t4.0.2")], ids=["full", "empty", "mpich"]
)
def test_what_is_written_is_read(given: Settings, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    write(given, path)
    assert read(path) == given
    assert json.loads(path.read_text())["rankwise_settings"] == 1


def test_nothing_is_replaced_unasked(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "s.json"
    write(FULL, path)
    with pytest.raises(RankwiseError) as error:
        write(settings(), path)
    golden.says(error.value, "-o .. --force")
    assert read(path) == FULL
    write(settings(), path, force=True)
    assert read(path) == settings()


def test_files_beside_it(tmp_path: Path) -> None:
    written = write_all(FULL, tmp_path / "s.json")
    assert written == [tmp_path / name for name in ("s.json", "s.env", "s.rules", "s.places")]
    assert sorted(tmp_path.iterdir()) == sorted(written)
    variables, said = sourced(tmp_path / "s.env")
    assert not said
    assert variables["OMPI_MCA_coll_tuned_dynamic_rules_filename"] == f"{tmp_path}/s.rules"
    assert variables["OMPI_MCA_coll_tuned_use_dynamic_rules"] == "1"
    assert variables["OMPI_MCA_btl_vader_eager_limit"] == "16384"
    text = (tmp_path / "s.env").read_text()
    assert OPEN_MPI_4 in text
    assert "on node1, node2" in text
    assert_facts(text, "1.25 .. 95 % .. 1.20 .. 1.30 .. 20")


def sourced(shell: Path) -> tuple[dict[str, str], str]:
    """Return the environment that a shell has after it has read a file, and what it says."""
    words = ["sh", "-ec", '. "$0"; env -0', str(shell)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry), done.stderr


@pytest.mark.parametrize("name", ["s", "it's"])
def test_without_the_librarys_own_file_nothing_is_set_and_said_so(
    name: str, tmp_path: Path, golden: Golden
) -> None:
    write_all(FULL, tmp_path / f"{name}.json")
    (tmp_path / f"{name}.rules").unlink()
    variables, said = sourced(tmp_path / f"{name}.env")
    assert not [variable for variable in variables if variable.startswith("OMPI_")]
    golden.says(said, f"{name}.env .. {tmp_path}/{name}.rules .. {tmp_path}/{name}.env")


def test_the_line_in_the_comment_works_where_the_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("s.json", "a b.json"):
        shell = write_all(FULL, Path(name))[1]
        line = next(line for line in shell.read_text().splitlines() if line.startswith("#   . "))
        words = ["sh", "-ec", f"{line.removeprefix('#')}; env"]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
        assert "OMPI_MCA_btl_vader_eager_limit=16384" in done.stdout


def test_places_need_no_rankwise(tmp_path: Path) -> None:
    """Each launcher has a file, and the comments of the lines for a shell have its command."""
    launch = "mpirun --bind-to core --rankfile R ./app"
    write_all(FULL, tmp_path / "s.json", launch=launch)
    text = (tmp_path / "s.env").read_text()
    place = tmp_path / "s.places"
    files = {path.name for path in place.iterdir()}
    by_file = {
        launcher_file.path.name: launcher_file.command_line for launcher_file in for_launchers(FULL, place)
    }
    assert files == set(by_file)
    assert {"openmpi4.ranks", "openmpi5.ranks", "mpich.hosts", "intel.machines", "slurm.hosts"} <= files
    commands = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#  ")]
    assert launch in commands
    for name, command in by_file.items():
        assert command in "\n".join(commands).replace("?", "\n")
        assert str(place / name) in command
    first = min(by_file.values(), key=lambda command: text.index(command.split(" ./app")[0]))
    assert f"{place}/openmpi4.ranks" in first


@pytest.mark.parametrize(
    ("library", "command", "first"),
    [
        (OPEN_MPI_4, ("mpirun",), "openmpi4.ranks"),
        ("Open MPI v5.0.11, package: x", ("mpiexec",), "openmpi5.ranks"),
        (INTEL, ("mpirun",), "intel.machines"),
        (MPICH_4, ("mpiexec.hydra",), "mpich.hosts"),
        (MPICH_4, ("srun",), "slurm.hosts"),
    ],
)
def test_the_launcher_of_the_measurement_comes_first(
    library: str, command: tuple[str, ...], first: str, tmp_path: Path
) -> None:
    made = settings(library=library, bindings=FULL.bindings)
    made = replace(made, about=replace(made.about, command=(*command, "-n", "2", "./app", "x")))
    files = for_launchers(made, tmp_path)
    assert files[0].path.name == first
    assert all("./app x" in file.command_line for file in files)


def test_no_directory_stays_where_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", full)
        with pytest.raises(RankwiseError, match="No space left"):
            write_all(FULL, tmp_path / "s.json")
    assert list(tmp_path.iterdir()) == []
    write_all(FULL, tmp_path / "s.json")
    with pytest.raises(RankwiseError, match="already exists"):
        check_new(tmp_path / "s.json", force=False)
    for name in ("s.json", "s.env", "s.rules"):
        (tmp_path / name).unlink()
    with pytest.raises(RankwiseError, match=r"s\.places/.* already exists"):
        check_new(tmp_path / "s.json", force=False)
    check_new(tmp_path / "s.json", force=True)


def test_the_tabulator_in_a_librarys_name_is_not_shown(tmp_path: Path) -> None:
    """MPICH says `MPICH Version:`, a tabulator, and the number."""
    write_all(settings(library=MPICH_4), tmp_path / "s.json")
    text = (tmp_path / "s.env").read_text()
    assert "MPICH Version: 4.0.2" in text
    planned = Plan(("./app",), parse(["./app"]), (), {}, "", None)
    program = Program(planned.words, {}, planned, None, OPEN_MPI_4)
    said = [untranslatable(settings(rule("Bcast", 2), library="Strange MPI:\t1.0"))]
    for other in (program, replace(program, said="Strange MPI:\t1.0")):
        with pytest.raises(RankwiseError) as error:
            other.refuse_other_library(MPICH_4, "mpich", tmp_path)
        said.append(str(error.value))
    assert_facts(said[1], "MPICH 4.0.2 .. Open MPI 4.1.4")
    assert_facts(said[2], "MPICH 4.0.2 .. Strange MPI: 1.0")
    for line in said:
        assert "\t" not in line
        assert "\\t" not in line


def test_all_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.rules").write_text("mine")
    with pytest.raises(RankwiseError, match=r"s\.rules already exists"):
        write_all(FULL, tmp_path / "s.json")
    assert [path.name for path in tmp_path.iterdir()] == ["s.rules"]
    assert (tmp_path / "s.rules").read_text() == "mine"
    write_all(FULL, tmp_path / "s.json", force=True)
    assert len(list(tmp_path.iterdir())) == 4


def test_settings_that_can_not_be_told_are_not_written(tmp_path: Path) -> None:
    for bad, line in [
        (settings(rule("Scatter", 4, 0, 8)), "is for some sizes only"),
        (settings(rule("Bcast", 4), library="Another MPI 1.0"), "can't be written; they can for Open MPI"),
        (settings(environment={"LD_PRELOAD": "x.so"}), "Rankwise uses it to enter the program"),
        (settings(environment={"A B": "x"}), "letters, digits and _ only"),
        (settings(environment={"A": "x\ny"}), "must not contain control characters"),
    ]:
        with pytest.raises(RankwiseError, match=line):
            write_all(bad, tmp_path / "s.json")
    assert list(tmp_path.iterdir()) == []


def test_in_a_directory_for_a_job(tmp_path: Path) -> None:
    variables = materialise(FULL, tmp_path)
    [file] = tmp_path.iterdir()
    assert variables["OMPI_MCA_coll_tuned_dynamic_rules_filename"] == str(file)
    assert "pipeline" in file.read_text()
    other = tmp_path / "other"
    other.mkdir()
    given = materialise(settings(rule("Bcast", 4), library=INTEL), other)
    assert list(given) == ["I_MPI_ADJUST_BCAST"]
    assert list(other.iterdir()) == []


def changed(change: Callable[[dict[str, Any]], object], place: Path) -> Path:
    write(FULL, place, force=True)
    content = json.loads(place.read_text())
    change(content)
    place.write_text(json.dumps(content))
    return place


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda c: c.pop("rankwise_settings"), '"rankwise_settings" is missing'),
        (lambda c: c.update(rankwise_settings=2), "this Rankwise reads version 1"),
        (lambda c: c.update(rankwise_settings="1"), "rankwise_settings"),
        (lambda c: c.pop("rules"), "'rules' is missing"),
        (lambda c: c.update(more=1), "unknown key 'more'"),
        (lambda c: c.update(rules={}), "rules"),
        (
            lambda c: c["rules"][0].update(processes=0),
            "rules[0].processes .. 0",
        ),
        (lambda c: c["rules"][0].update(processes=1 << 40), "rules[0].processes"),
        (lambda c: c["rules"][0].update(low=21), "rules[0].high .. 20"),
        (lambda c: c["rules"][0].update(high=None), "rules[0].low: must be 0 where"),
        (lambda c: c["rules"][0].update(procedure="Bcast"), "procedure"),
        (lambda c: c["rules"][0]["algorithm"].update(name="a\nb"), ""),
        (lambda c: c["rules"][0]["algorithm"].update(number=-1), "number"),
        (lambda c: c["rules"][0]["evidence"].update(ratio="2"), "ratio"),
        (lambda c: c["rules"][0].pop("raced"), "'raced' is missing"),
        (lambda c: c["rules"][0]["raced"][0].update(share=0), "share: must be above 0"),
        (lambda c: c["rules"][0]["raced"][0].update(calls=0), "calls .. 0"),
        (lambda c: c["rules"][0]["raced"][0].update(root=4), "raced[0].root .. 3"),
        (lambda c: c["rules"][0]["raced"][0].update(groups=[]), "groups"),
        (lambda c: c["rules"][0]["raced"][0].update(groups=["0-4"]), "groups[0]: must have 4 processes"),
        (lambda c: c["rules"][0]["raced"][0].update(groups=["0-3", "3-6"]), ""),
        (lambda c: c["rules"][0]["raced"][0].update(groups=["0-2,?"]), "must be ranks, such as"),
        (lambda c: c["rules"][0]["raced"][0].update(groups=["0..3"]), "must be ranks, such as"),
        (lambda c: c["rules"][0]["raced"][0].update(groups=["0-99999999999"]), "must have 4 processes"),
        (lambda c: c["rules"][0]["raced"][0].update(late_us=[1]), "8"),
        (lambda c: c["rules"][0]["raced"][0].update(late_us=[-1] * 8), "0"),
        (lambda c: c["about"].update(gain=[1, 2]), "about.gain"),
        (lambda c: c["about"].update(hosts="a"), "about.hosts"),
        (lambda c: c["about"].update(command=[1]), "about.command[0]"),
        (lambda c: c["environment"].update(LD_LIBRARY_PATH="/evil"), "environment.LD_LIBRARY_PATH: can't be"),
        (lambda c: c["environment"].update(RANKWISE_DIR="/evil"), "environment.RANKWISE_DIR: can't be"),
        (lambda c: c["environment"].update({"A;rm": "x"}), "letters, digits and _ only"),
        (lambda c: c["environment"].update(A=1), "environment.A"),
        (lambda c: c["bindings"][0].update(core=-2), "bindings[0].core"),
        (lambda c: c["bindings"][0].update(host="a b"), "bindings[0].host"),
    ],
)
def test_no_settings(
    change: Callable[[dict[str, Any]], object], line: str, tmp_path: Path, golden: Golden
) -> None:
    path = changed(change, tmp_path / "s.json")
    with pytest.raises(RankwiseError) as error:
        read(path)
    golden.says(error.value, line)
    assert str(error.value).startswith(f"{path}: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, "cannot read"),
        (b"", "is not JSON"),
        (b"[]", ""),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"rankwise_settings": ' + b"9" * 5000 + b"}", "too long|reads version 1|must be at most"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"rankwise_settings": NaN}', ""),
        (b'{"format": "rankwise-machine"}', ""),
    ],
)
def test_hostile_files(content: bytes | None, line: str, tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RankwiseError, match=line) as error:
        read(path)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 1000
