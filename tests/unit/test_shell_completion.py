"""What the shell offers at TAB, by the protocol of argcomplete and by bash itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankwise
from rankwise.__main__ import VERBS

PACKAGES = Path(rankwise.__file__).parents[1]
ANSWERS = 8  # the file descriptor that argcomplete answers on
ASK = f"import os, sys; os.dup2(1, {ANSWERS}); from rankwise.__main__ import command; command()"


def environment(**more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(PACKAGES), **more}


def offered(place: Path, line: str, code: str = ASK) -> set[str]:
    """What is offered at the end of a line that is typed in a directory."""
    asked = environment(
        _ARGCOMPLETE="1",
        _ARGCOMPLETE_IFS="\n",
        COMP_LINE=line,
        COMP_POINT=str(len(line.encode())),
        COMP_TYPE="9",
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=place, env=asked, capture_output=True, text=True, timeout=60
    )
    return {word.strip() for word in done.stdout.splitlines()}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with files of several kinds, and with a command on PATH."""
    for name in ("a.rankwise", "b.rankwise", "m.json", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "dir").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rankwise ", set(VERBS)),
        ("rankwise ma", {"machine", "map"}),
        ("rankwise show ", {"a.rankwise", "b.rankwise", "dir/"}),
        ("rankwise show a", {"a.rankwise"}),
        ("rankwise map ", {"verify", "predict", "a.rankwise", "b.rankwise", "dir/"}),
        ("rankwise map verify ", {"a.rankwise", "b.rankwise", "dir/"}),
        ("rankwise map verify a.rankwise --o", {"--objective", "--output"}),
        ("rankwise map a.rankwise --machine ", {"m.json", "dir/"}),
        ("rankwise show a.rankwise --by co", {"communicator", "collective", "counter"}),
        ("rankwise show a.rankwise --limit ", set()),
        ("rankwise machine from-s", {"from-slurm"}),
        ("rankwise machine show ", {"m.json", "dir/"}),
        ("rankwise top ", {"dir/"}),
        ("rankwise tune a.rankwise -- ./no", {"./notes.txt"}),
        ("rankwise run -- mpirun -n 4 no", {"notes.txt"}),
    ],
)
def test_what_is_offered(place: Path, line: str, words: set[str]) -> None:
    assert offered(place, line) == words


def test_commands_after_the_separator(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "mpirun.mine").touch(mode=0o755)
    (place / "mpirun.data").touch(mode=0o644)
    monkeypatch.setenv("PATH", str(place))
    assert offered(place, "rankwise run -q -- mpirun.") == {"mpirun.mine"}


def test_nothing_is_run_where_argcomplete_is_missing(place: Path) -> None:
    missing = f"import sys; sys.modules['argcomplete'] = None; {ASK}"
    assert offered(place, "rankwise run -- touch started", missing) == set()
    assert not (place / "started").exists()


def test_bash(place: Path) -> None:
    """The shell's own function, as `register-python-argcomplete rankwise` prints it."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    from argcomplete.shell_integration import shellcode

    program = place / "rankwise"
    program.write_text(f"#!{sys.executable}\nfrom rankwise.__main__ import command\ncommand()\n")
    program.chmod(0o755)
    line = "rankwise export a.rankwise --format p"
    script = f"""{shellcode(["rankwise"], shell="bash")}
COMP_LINE='{line}' COMP_POINT={len(line)} COMP_TYPE=9 COMP_WORDS=({line}) COMP_CWORD=4
_python_argcomplete rankwise
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    path = f"{place}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [bash, "-c", script],
        cwd=place,
        env=environment(PATH=path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert set(done.stdout.split()) == {"parquet", "perfetto"}, done.stderr
