"""`rankwise collect`: which runs have ended, what becomes of them, and of what it must not touch."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from assembled import rows
from nodes_synthetic import node_file
from synthetic import small_world

from golden import Golden, assert_complaint
from rankwise.__main__ import main
from rankwise.profile import collection
from rankwise.profile.assemble import Assembly, assemble
from rankwise.profile.collect import end_note, layout, node_memory
from rankwise.profile.collect.node_memory import NodeMemory

LONG_AGO_S = 1200
# What `node` writes: the program, and when it started by the local clock.
OF = time.strftime("solver.%Y-%m-%dT%H%M", time.localtime(1_700_000_000))


def images(ranks: int) -> dict[str, bytes]:
    return {
        f"node1.{4000 + n}.0.counters": process.to_bytes() for n, process in enumerate(small_world(ranks))
    }


def node(directory: Path, *, name: str = "node1.0.77.0.node", keep: int = 4, **header: int) -> Path:
    """Write a node file with the first ranks of a job of four."""
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_bytes(node_file(dict(list(images(4).items())[:keep]), **header))
    return path


def age(*paths: Path) -> None:
    for path in paths:
        os.utime(path, (time.time() - LONG_AGO_S,) * 2)


def contents(directory: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in directory.rglob("*")}


def collected(
    capsys: pytest.CaptureFixture[str], *words: str | Path, status: int = 0
) -> tuple[list[str], str]:
    """Run it; return the paths that it prints, and what it says."""
    assert main(["collect", *map(str, words)]) == status
    said = capsys.readouterr()
    return said.out.splitlines(), said.err


def assert_left_alone(capsys: pytest.CaptureFixture[str], jobs: Path) -> None:
    before = contents(jobs)
    assert collected(capsys, jobs) == ([], "")
    assert contents(jobs) == before


def test_a_job_that_has_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    node(tmp_path / "u7.a.rankwise-run")
    profile = tmp_path / f"{OF}.u7.a.rankwise"
    assert collected(capsys, tmp_path) == ([str(profile)], "")
    assert list(tmp_path.iterdir()) == [profile]
    assert rows(profile, "SELECT count(*) FROM ranks") == [(4,)]
    assert_left_alone(capsys, tmp_path)


def test_jobs_with_tags(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tags of the shell that starts a job are in its profile, with the commit; other jobs have none."""
    commit = "0123456789abcdef" * 2 + "01234567"
    monkeypatch.setenv("GITHUB_SHA", commit)
    monkeypatch.chdir(tmp_path)
    given = ({"size": "large", "case": "a b"}, {"size": "small"})
    for number, tags in enumerate(given):
        words = [word for name, value in tags.items() for word in ("--tag", f"{name}={value}")]
        for _ in range(2):  # each shell does it
            assert main(["env", "--dir", str(tmp_path / "jobs"), *words]) == 0
            script = capsys.readouterr().out
        jobs = Path(next(line for line in script.splitlines() if "RANKWISE_JOBS" in line).partition("=")[2])
        assert jobs.stat().st_mode & 0o777 == 0o700
        node(jobs / f"u7.{number}.rankwise-run")
    node(tmp_path / "jobs" / "u7.plain.rankwise-run")
    assert len([*(tmp_path / "jobs").glob("tags.*")]) == len(given)
    printed, said = collected(capsys, tmp_path / "jobs")
    assert said == ""
    expected = {f"{OF}.u7.{number}.rankwise": tags for number, tags in enumerate(given)}
    for profile in map(Path, printed):
        assert profile.parent == tmp_path / "jobs"
        kept = dict(rows(profile, "SELECT name, value FROM tags"))
        assert kept == ({**expected[profile.name], "commit": commit} if profile.name in expected else {})
    assert len(printed) == 3


def test_tags_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The profile is made, and its notes say so."""
    folder = tmp_path / f"tags.u{os.geteuid()}.0123456789ab"
    folder.mkdir()
    for content in ("[]", "{", '{"tags": 5}'):
        (folder / "tags.json").write_text(content)
        node(folder / "u7.a.rankwise-run")
        (profile,), said = collected(capsys, tmp_path)
        assert said == ""
        assert rows(Path(profile), "SELECT name FROM tags") == []
        Path(profile).unlink()


def test_nothing_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_left_alone(capsys, tmp_path)


@pytest.mark.parametrize(("keep", "is_final"), [(4, 0), (2, 1), (2, 0)])
def test_a_job_under_way_and_one_that_has_died(
    keep: int, is_final: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = node(tmp_path / "a.rankwise-run", keep=keep, is_final=is_final)
    assert_left_alone(capsys, tmp_path)
    age(file)
    assert collected(capsys, tmp_path)[0] == [str(tmp_path / f"{OF}.a.rankwise")]
    assert len(list(tmp_path.iterdir())) == 1


def test_one_node_of_two_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "a.rankwise-run"
    age(node(run))
    other = node(run, name="node2.0.78.0.node", is_final=0)
    assert_left_alone(capsys, tmp_path)
    age(other)
    assert len(collected(capsys, tmp_path)[0]) == 1


def test_who_saves_seldom_is_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    age(node(tmp_path / "a.rankwise-run", is_final=0, save_every_ms=1_000_000))
    assert_left_alone(capsys, tmp_path)


def test_rankwise_run_makes_its_profile_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "a.rankwise-run"
    file = node(run)
    note = run / end_note.FILE_NAME
    note.write_text("{}\n")
    assert_left_alone(capsys, tmp_path)
    age(file, note)
    assert len(collected(capsys, tmp_path)[0]) == 1
    assert not run.exists()


def test_counters_that_live_in_this_node(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "a.rankwise-run"
    age(node(run, is_final=0))
    alive = {run: [NodeMemory(tmp_path / "memory")]}
    monkeypatch.setattr(node_memory, "of_run", lambda directory, *_: alive.get(directory, []))
    assert_left_alone(capsys, tmp_path)
    alive.clear()
    assert len(collected(capsys, tmp_path)[0]) == 1


@pytest.mark.parametrize("of_counters", [False, True], ids=["node file", "counters"])
def test_what_cannot_be_read_is_named_and_left(
    of_counters: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "a.rankwise-run"
    file = node(damaged)
    data = file.read_bytes()
    magic = data.index(layout.MAGIC if of_counters else layout.NODE_MAGIC)
    file.write_bytes(data[:magic] + b"x" + data[magic + 1 :])
    age(file)
    node(tmp_path / "b.rankwise-run")
    before = contents(damaged)
    paths, said = collected(capsys, tmp_path, status=1)
    assert paths == [str(tmp_path / f"{OF}.b.rankwise")]
    assert_complaint(said, f"rankwise: {damaged} ")
    assert contents(damaged) == before


def test_no_profile_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for made in (f"{OF}.a.rankwise", f"{OF}.a.2.rankwise", f"{OF}.a.3.rankwise"):
        before = contents(tmp_path)
        node(tmp_path / "a.rankwise-run")
        assert collected(capsys, tmp_path)[0] == [str(tmp_path / made)]
        assert before.items() <= contents(tmp_path).items()


def test_another_place_for_the_profiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs, output = tmp_path / "jobs", tmp_path / "new" / "profiles"
    jobs.mkdir()
    node(jobs / "a.rankwise-run")
    assert collected(capsys, "-o", output, jobs)[0] == [str(output / f"{OF}.a.rankwise")]
    assert list(jobs.iterdir()) == []


def test_what_else_is_there_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = tmp_path / "jobs"
    node(tmp_path / "elsewhere")
    jobs.mkdir()
    (jobs / "link.rankwise-run").symlink_to(tmp_path / "elsewhere")
    (jobs / "file.rankwise-run").touch()
    node(jobs / "other-name")
    assert_left_alone(capsys, jobs)
    node(jobs / "theirs.rankwise-run")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert_left_alone(capsys, jobs)


def test_an_empty_run_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "a.rankwise-run"
    run.mkdir()
    assert_left_alone(capsys, tmp_path)  # somebody may be about to write to it
    age(run)
    assert collected(capsys, tmp_path) == ([], "")
    assert not run.exists()


def test_another_collector_at_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "a.rankwise-run"
    node(run)
    with (run / "collecting").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert_left_alone(capsys, tmp_path)
    assert len(collected(capsys, tmp_path)[0]) == 1  # its lock is gone with it
    assert not run.exists()


@pytest.mark.parametrize("goes_on", [False, True])
def test_the_last_node_ends_while_another_one_collects(
    goes_on: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own collector is kept away, and no other one may come later."""
    jobs, other = tmp_path / "jobs", tmp_path / "other"
    jobs.mkdir()
    run = jobs / "a.rankwise-run"
    node(run, keep=2, is_final=int(goes_on))
    ended = collection._has_ended

    def slowly(*state: Any) -> bool:
        has_ended = ended(*state)
        if not any(run.glob("node2.*")):
            node(run, name="node2.0.78.0.node", is_final=int(not goes_on))
            node(run, is_final=1)
            assert collection.collect(run, other) == []
        return has_ended

    monkeypatch.setattr(collection, "_has_ended", slowly)
    made, _ = collected(capsys, jobs)
    assert made == ([] if goes_on else [str(jobs / f"{OF}.a.rankwise")])
    assert run.exists() == goes_on


def test_what_comes_meanwhile_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "a.rankwise-run"
    old, again = node(run), node(run, name="node1.0.79.0.node")
    for file in (old, again):
        age(file)

    def beside_a_job_of_the_same_name(directory: Path, output: Path, **how: Any) -> Assembly:
        made = assemble(directory, output, **how)
        node(run, name="node1.0.78.0.node", is_final=0)
        node(run, name=again.name, is_final=0)  # written anew
        return made

    monkeypatch.setattr(collection, "assemble", beside_a_job_of_the_same_name)
    assert len(collected(capsys, tmp_path)[0]) == 1
    assert sorted(path.name for path in run.iterdir()) == ["node1.0.78.0.node", again.name]


def test_many_at_once(tmp_path: Path) -> None:
    names = [f"u7.{number}" for number in range(6)]
    for name in names:
        node(tmp_path / f"{name}.rankwise-run")
    words = [sys.executable, "-m", "rankwise", "collect", str(tmp_path)]
    started = [
        subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)
    ]
    said = [process.communicate(timeout=120) for process in started]
    assert [(process.returncode, err) for process, (_, err) in zip(started, said, strict=True)] == [
        (0, "")
    ] * 4
    made = [Path(path).name for out, _ in said for path in out.split()]
    assert sorted(made) == [f"{OF}.{name}.rankwise" for name in names]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(made)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["missing"], ""),
        (["file"], ""),
        (
            ["missing", "-o", "."],
            "No",
        ),
        (["missing", "-o", "made"], "No"),  # and it is not made
        ([".", "-o", "file"], ""),
        ([], "`rankwise collect --help`"),
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
    paths, said = collected(capsys, *words, status=2)
    assert (paths, said.count("\n")) == ([], 1)
    golden.says(said, told)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
