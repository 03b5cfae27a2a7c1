from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import profiles
import pytest

import rankwise
from golden import assert_complaint
from rankwise.__main__ import VERBS, main
from rankwise.errors import RankwiseError

PACKAGES = Path(rankwise.__file__).parents[1]


class Verb(ModuleType):
    """A verb that keeps what it was called with, and does what a test wants."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "Do something.\n\nMore about it.")
        self.called: argparse.Namespace | None = None
        self.error: BaseException | None = None

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("-o", "--output")

    def run(self, arguments: argparse.Namespace) -> int:
        self.called = arguments
        if self.error:
            raise self.error
        return 7


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Iterator[Verb]:
    verbs = {name: Verb(name) for name in VERBS}
    for name, module in verbs.items():
        monkeypatch.setitem(sys.modules, f"rankwise.commands.{name.replace('-', '_')}", module)
    return verbs["run"]


def test_what_follows_the_first_separator_is_the_command(verb: Verb) -> None:
    assert main(["run", "-o", "x", "--", "mpirun", "-n", "4", "./app", "--", "-o", "y"]) == 7
    assert verb.called is not None
    assert verb.called.output == "x"
    assert verb.called.command == ["mpirun", "-n", "4", "./app", "--", "-o", "y"]


@pytest.mark.parametrize("words", [["run"], ["run", "--"]])
def test_no_command_is_an_empty_list(verb: Verb, words: list[str]) -> None:
    main(words)
    assert verb.called is not None
    assert verb.called.command == []


def test_a_forgotten_separator_is_named(verb: Verb, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "mpirun", "-n", "4", "./app"]) == 2
    err = capsys.readouterr().err
    assert_complaint(err, "`--`")
    assert verb.called is None


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (RankwiseError("no such thing; do that"), 2, "rankwise: no such thing; do that\n"),
        (RankwiseError("failed\x1b[2J", 1), 1, "rankwise: failed\\x1b[2J\n"),
        (KeyboardInterrupt(), 130, ""),
        (OSError(5, "no luck"), 1, "rankwise: no luck\n"),
    ],
)
def test_errors_are_one_line(
    verb: Verb, capsys: pytest.CaptureFixture[str], error: BaseException, status: int, message: str
) -> None:
    verb.error = error
    assert main(["run", "--", "x"]) == status
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(
    ("error", "facts"), [(OSError(28, "no room", "a/b"), "a/b .. no room"), (MemoryError(), "ulimit -v")]
)
def test_what_the_system_refuses_is_one_line(
    verb: Verb, capsys: pytest.CaptureFixture[str], error: BaseException, facts: str
) -> None:
    verb.error = error
    assert main(["run", "--", "x"]) == 1
    assert_complaint(capsys.readouterr().err, facts)


def test_help_lists_every_verb(verb: Verb, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in VERBS)
    assert "Do something." in out
    for words in ([], ["sho"], ["--nonsense"]):
        assert main(words) == 2
        err = capsys.readouterr().err
        assert err.startswith("rankwise: ")
        assert err.count("\n") == 1


def test_version(capsys: pytest.CaptureFixture[str], verb: Verb) -> None:  # noqa: ARG001
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("rankwise ")


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: rankwise ")
    assert max(map(len, out.splitlines())) <= 110


@pytest.mark.parametrize("name", ["show", "export"])
def test_help_of_a_verb(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "F.rankwise" in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    "words",
    [
        ["show", "missing.rankwise"],
        ["show", "a", "--nonsense"],
        ["export", "missing", "--format", "csv", "-o", "d"],
        ["show"],
        ["export", "a", "--format", "xls", "-o", "d"],
    ],
)
def test_bad_input_has_no_traceback(
    words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    err = capsys.readouterr().err
    assert err.startswith("rankwise: ")
    assert err.count("\n") == 1


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    profile = profiles.write_large(tmp_path / "a.rankwise")
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "rankwise", "show", str(profile), "--by", "call"],
        env=os.environ | {"PYTHONPATH": str(PACKAGES)},
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")
