"""`rankwise env`: what it prints is run by those who read it: a shell, Tcl, Slurm's way with a TaskProlog."""

from __future__ import annotations

import getpass
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from golden import Golden
from rankwise import _files
from rankwise.__main__ import main

LIBRARY = str(_files.installed("lib/librankwise.so"))
# Another one's, which the loader finds.
X, Y = (str(_files.installed(f"lib/librankwise_{name}.so.0")) for name in ("placement", "monitoring"))
USER = getpass.getuser()
SHELLS = [shell for shell in ("sh", "bash", "dash", "zsh", "ksh") if shutil.which(shell)]
# What a modulefile calls, told on stdout. Environment Modules and Lmod have these of their own.
MODULES = """
proc module-whatis {text} {}
proc module-info {what mode} {return 1}
proc setenv {name value} {puts "$name=$value"}
proc prepend-path {name value} {puts "$name=$value"}
source [lindex $argv 0]
"""


def printed(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["env", *map(str, words)]) == 0
    return capsys.readouterr().out


def in_shell(script: str, shell: str = "sh", preload: str = "") -> dict[str, str]:
    """Run the lines as a shell does, and return what is set then."""
    done = subprocess.run(
        [shell, "-c", f"LD_PRELOAD={shlex.quote(preload)}; {script}\n{script}\nenv -0"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    pairs = (line.partition("=") for line in done.stdout.split("\0"))
    return {name: value for name, _, value in pairs}


def as_slurm_does(script: str, preload: str = "") -> dict[str, str]:
    """Run a TaskProlog: of its lines `export NAME=value`, all after = is the value."""
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["/bin/sh"],
        input=script.replace("case ", f"LD_PRELOAD={shlex.quote(preload)}\ncase ", 1),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    pairs = (line.removeprefix("export ").partition("=") for line in done.stdout.splitlines())
    return {name: value for name, _, value in pairs}


def as_module(script: str, tmp_path: Path) -> dict[str, str]:
    assert script.startswith("#%Module\n")
    (tmp_path / "modules.tcl").write_text(MODULES)
    (tmp_path / "module").write_text(script)
    words = ["tclsh", tmp_path / "modules.tcl", tmp_path / "module"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def ours(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name.startswith(("RANKWISE", "LD_PRELOAD"))}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", ["jobs", "a b", "it's", '$x"y', "a\\b"])
def test_shells(shell: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--dir", tmp_path / name)
    expected = {"RANKWISE_JOBS": str(tmp_path / name), "LD_PRELOAD": LIBRARY}
    assert ours(in_shell(lines, shell)) == expected


@pytest.mark.parametrize("theirs", [X, f"{X}:{Y}", f"{X} {Y}"])
def test_theirs_stays_and_ours_goes_in_front(
    theirs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, "--dir", tmp_path)
    assert in_shell(lines, preload=theirs)["LD_PRELOAD"] == f"{LIBRARY}:{theirs}"
    prolog = printed(capsys, "--dir", tmp_path, "--format", "taskprolog")
    assert as_slurm_does(prolog, theirs)["LD_PRELOAD"] == f"{LIBRARY}:{theirs}"


@pytest.mark.parametrize("theirs", [LIBRARY, f"{X}:{LIBRARY}", f"{LIBRARY} {X}", f"{X} {LIBRARY}:{Y}"])
def test_ours_is_never_there_twice(theirs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--dir", tmp_path)
    assert in_shell(f"export LD_PRELOAD; {lines}", preload=theirs)["LD_PRELOAD"] == theirs
    prolog = printed(capsys, "--dir", tmp_path, "--format", "taskprolog")
    assert "LD_PRELOAD" not in as_slurm_does(prolog, theirs)


@pytest.mark.parametrize("name", ["jobs", "a b", "it's", '$x"y', "a[b]{c", "a;b"])
def test_task_prologs_and_modules(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--dir", tmp_path / name, "--save-every", "2.5")
    expected = {
        "RANKWISE_JOBS": str(tmp_path / name),
        "RANKWISE_SAVE_EVERY_MS": "2500",
        "LD_PRELOAD": LIBRARY,
    }
    assert as_slurm_does(printed(capsys, *words, "--format", "taskprolog")) == expected
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh: apt-get install tcl")
    assert as_module(printed(capsys, *words, "--format", "module"), tmp_path) == expected


@pytest.mark.parametrize("format_", ["shell", "taskprolog", "module"])
def test_each_user_gets_a_directory_of_his_own(
    format_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if format_ == "module" and shutil.which("tclsh") is None:
        pytest.skip("no tclsh: apt-get install tcl")
    script = printed(capsys, "--dir", tmp_path / "%u" / "a b", "--format", format_)
    assert list(tmp_path.iterdir()) == []
    read = {"shell": in_shell, "taskprolog": as_slurm_does, "module": lambda it: as_module(it, tmp_path)}
    jobs = tmp_path / USER / "a b"
    assert read[format_](script)["RANKWISE_JOBS"] == str(jobs)
    assert stat.S_IMODE(jobs.stat().st_mode) == 0o700


def test_the_directory_is_made_for_its_user_or_for_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, words, mode in (("own", (), 0o700), ("all", ("--shared",), 0o1777)):
        for _ in range(2):
            assert f"RANKWISE_JOBS={tmp_path / name}\n" in printed(capsys, "--dir", name, *words)
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--dir", "missing/jobs"],
            "missing/jobs .. No .. --dir",
        ),
        (["--dir", "file"], "--dir"),
        (["--dir", ""], "--dir"),
        (["--dir", "a\nb"], "--dir"),
        (["--dir", "open"], "`chmod +t`"),
        (["--dir", "own", "--shared"], "own: `chmod 1777` it, or remove --shared"),
        (["--dir", "%u", "--shared"], "--shared"),
        (["--dir", "own", "--save-every", "0.01"], "--save-every 0.01s: give"),
        (["--dir", "own", "--tag", "size"], "--tag size"),
        (["--dir", "own", "--tag", "size=1", "--format", "module"], "--tag .. --format"),
        (["--dir", "%u", "--tag", "size=1"], "--tag .. %u"),
        (["--dir", "own", "--", "true"], "unknown argument: -- true; `rankwise env --help` lists what"),
        ([], "--dir .. `rankwise env --help`"),
    ],
)
def test_bad_input(
    words: list[str],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Golden,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    before = sorted(tmp_path.iterdir())
    assert main(["env", *words]) == 2
    said = capsys.readouterr()
    golden.says(said.err, told)
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        ["/bin/true"],
        ["/bin/sh", "-c", "/bin/true"],
        ["/bin/ls", "/proc/self/fd", "/proc/self/task/"],  # what it has open, and its threads
        [sys.executable, "-c", "import sys; print(sorted(sys.modules))"],
    ],
    ids=["true", "sh", "ls", "python"],
)
def test_programs_without_mpi_notice_and_write_nothing(words: list[str], tmp_path: Path) -> None:
    def run(**environment: str) -> tuple[int, str, str]:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
        return done.returncode, re.sub(r"\d{3,}", "PID", done.stdout), done.stderr

    assert run(LD_PRELOAD=LIBRARY, RANKWISE_JOBS=str(tmp_path)) == run()
    assert list(tmp_path.iterdir()) == []
