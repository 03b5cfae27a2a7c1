"""A launcher is one module: all the rest finds the example in docs/develop/adding-a-launcher.md."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import fake_mpi
import pytest
from test_docs import in_code, sections, table

import rankwise
from golden import assert_facts
from rankwise.launchers import SHARED_COMMANDS, by_command, launchers, placings
from rankwise.launchers.base import Launcher
from rankwise.launchers.placing import Placing, Relaunching

ROOT = Path(__file__).parents[2]
FOUND = f"""
import sys
from rankwise.launchers import known
known.__path__.append("known")
sys.path += [{str(ROOT / "api")!r}]
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with the example's module, its test, and an exrun that tells its version."""
    text = (ROOT / "docs" / "develop" / "adding-a-launcher.md").read_text(encoding="utf-8")
    module, test = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "exrun.py").write_text(module)
    (tmp_path / "example.py").write_text(test)
    fake_mpi.launcher(tmp_path / "bin" / "exrun", "exrun 2.1")
    return tmp_path


def python(code: str, place: Path) -> str:
    """What Python code prints that has the example beside the other launchers."""
    environment = os.environ | {
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(rankwise.__file__).parents[1]),
    }
    done = subprocess.run(
        [sys.executable, "-c", FOUND + code],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(*words: str) -> str:
    return f"from rankwise.__main__ import main; sys.exit(main({list(words)}))"


def test_its_own_test(place: Path) -> None:
    python("import example; [test() for name, test in vars(example).items() if name[:5] == 'test_']", place)


def test_doctor(place: Path) -> None:
    said = python(commands("doctor", "--", "exrun", "-n", "2", "sh", "-c", "true"), place)
    assert said.count(f"{place}/bin/exrun: Exrun 2.1\n") == 2  # on PATH, and of the command
    assert_facts(said, "--env NAME=VALUE")


def test_files_for_it(place: Path) -> None:
    code = """
from rankwise.launchers.binding import Binding
from rankwise.placement.files import Path, write_all
write_all([Binding(0, "b"), Binding(1, "a")], Path("there"), ["./app"], ["exrun"])
"""
    python(code, place)
    assert (place / "there" / "exrun.hosts").read_text() == "b\na\n"
    assert "exrun" in python(commands("map", "--help"), place)


def test_number_of_ranks_for_the_probe(place: Path) -> None:
    code = "from rankwise.probes.launch import understand; "
    code += "print(understand('exrun -n 3 --ppn 1'.split(), {'PATH': 'bin'}).ranks)"
    assert python(code, place) == "3\n"


def test_variables_for_the_library(place: Path) -> None:
    written = python("import launchers_table; print(launchers_table.launchers_h())", place)
    for variable in ("EXRUN_RANK", "EXRUN_SIZE", "EXRUN_LOCAL_RANK", "EXRUN_JOB"):
        assert f'"{variable}"' in written
    [ranks] = re.findall(r"rank_variables\[\] = {(.*)}", written)[:1]
    assert ranks.split(", ")[-1] == '"EXRUN_RANK"'  # after those that may be started inside of it


def parts(kind: type) -> set[str]:
    """What a class tells of itself, by the names of its attributes and methods."""
    return {name for name in {*vars(kind), *kind.__annotations__} if not name.startswith("_")}


def test_the_page_names_every_part() -> None:
    described = sections("adding-a-launcher.md")["The parts of a module"]
    named = {name.rstrip("()") for row in table(described) for name in in_code(row[0])}
    derived = {"ranks", "has_own_library", "binds"}  # from the others
    assert (parts(Launcher) | parts(Placing) | parts(Relaunching)) - derived == named


def test_no_two_share_what_tells_them_apart() -> None:
    names = [launcher.name for launcher in launchers()]
    own = [command for launcher in launchers() for command in launcher.commands]
    choices = [placing.choice for launcher in launchers() for placing in launcher.placings]
    labels = [answer.label for launcher in launchers() for answer in launcher.answers]
    for those in (names, own, choices, labels):
        assert len(those) == len(set(those))
    assert len(own) == len(by_command())
    assert choices == list(placings())
    assert not set(own) & set(SHARED_COMMANDS)
