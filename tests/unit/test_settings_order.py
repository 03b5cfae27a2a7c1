"""An order of MPI_COMM_WORLD in settings: the file, its processes, and what `run --with` refuses."""

from __future__ import annotations

import json
import random
import shlex
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from profiles import write_profile
from settings_made import rule, settings

from golden import Golden, assert_complaint
from rankwise.__main__ import main
from rankwise.commands.tune.profiled import say_if_reordered
from rankwise.commands.with_settings import WithSettings
from rankwise.errors import RankwiseError
from rankwise.launch import job
from rankwise.launch.commandline import parse
from rankwise.launch.detect import Detection, Kind
from rankwise.launch.plan import Plan
from rankwise.launch.world_order import refusal
from rankwise.launchers.binding import Binding
from rankwise.tuning.settings.file import read, write, write_all
from rankwise.tuning.settings.model import Settings
from rankwise.tuning.settings.rank_order import RankOrder

ORDER = RankOrder((2, 0, 3, 1), (0, 0, 1, 1))
GIVEN = replace(settings(rule("Bcast", 4)), order=ORDER)


def written(directory: Path, given: Settings = GIVEN) -> Path:
    path = directory / "s.json"
    write(given, path, force=True)
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read(written(tmp_path)) == GIVEN


def test_files_without_an_order_are_as_before(tmp_path: Path) -> None:
    """Version 0.1.0 reads them, and refuses those with an order, as it knows no such key."""
    assert "order" in json.loads(written(tmp_path).read_text())
    assert "order" not in json.loads(written(tmp_path, settings()).read_text())
    assert settings().identity != replace(settings(), order=ORDER).identity


def test_lines_for_a_shell_say_how_it_is_applied(tmp_path: Path) -> None:
    write_all(GIVEN, tmp_path / "s.json")
    text = (tmp_path / "s.env").read_text()
    command = next(line for line in text.splitlines() if "--with" in line).removeprefix("#")
    words = shlex.split(command.replace("?", "\n"))
    assert words == ["rankwise", "run", "--with", str(tmp_path / "s.json"), "--", *GIVEN.about.command]
    write_all(settings(), tmp_path / "none.json")
    assert "--with" not in (tmp_path / "none.env").read_text()


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["order"].update(new_rank=[]),
        lambda c: c["order"].update(new_rank=[0, 1, 2, 4]),
        lambda c: c["order"].update(new_rank=[0, 1, 2, 2]),
        lambda c: c["order"].update(new_rank="0,1"),
        lambda c: c["order"].update(node=[0]),
        lambda c: c["order"].update(node=[0, 0, -1, 1]),
        lambda c: c["order"].pop("node"),
        lambda c: c["order"].update(more=1),
        lambda c: c.update(order=None),
        lambda c: c.update(bindings=[{"rank": 0, "host": "node1"}]),
    ],
)
def test_no_order(change: Callable[[dict[str, Any]], object], tmp_path: Path, golden: Golden) -> None:
    path = written(tmp_path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(RankwiseError) as error:
        read(path)
    golden.says(error.value, "order")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("seed", range(50))
def test_other_places(seed: int) -> None:
    """Names of nodes do not matter; which processes share one does."""
    chance = random.Random(seed)
    ranks = chance.randint(1, 8)
    hosts = [chance.choice("abc") for _ in range(ranks)]
    new_rank = chance.sample(range(ranks), ranks)
    order = RankOrder.on(hosts, new_rank)
    assert [order.launched[rank] for rank in order.new_rank] == list(range(ranks))

    def by_new_rank(hosts: list[str]) -> list[str]:
        return [hosts[launched] for launched in order.launched]

    assert order.elsewhere(by_new_rank([f"other-{host}" for host in hosts])) == ""
    now = [chance.choice("abc") for _ in range(ranks)]
    pairs = [(a, b) for a in range(ranks) for b in range(a)]
    differs = [{a, b} for a, b in pairs if (hosts[a] == hosts[b]) != (now[a] == now[b])]
    why = order.elsewhere(by_new_rank(now))
    assert bool(why) == bool(differs)
    if why:
        named = {int(word) for word in why.split() if word.isdigit()}
        assert named in differs
        first, second = sorted(named)
        assert (" do not share " in why) == (now[first] != now[second])


def with_settings(path: Path, *words: str) -> WithSettings:
    planned = Plan(words, parse(words, lambda _: "Open MPI"), (), {}, "", None)
    return WithSettings.of(path, planned, {})


def test_another_number_of_ranks_is_refused(tmp_path: Path, golden: Golden) -> None:
    path = written(tmp_path, replace(GIVEN, rules=()))
    assert with_settings(path, "mpirun", "-n", "4", "./app").settings.order == ORDER
    assert with_settings(path, "mpirun", "-n", "1", "./a", ":", "-n", "3", "./b").settings.order == ORDER
    for words in (["mpirun", "-n", "3", "./app"], ["mpirun", "-n", "2", "./a", ":", "-n", "3", "./b"]):
        with pytest.raises(RankwiseError) as error:
            with_settings(path, *words)
        golden.says(error.value, f"{path} .. 4 ranks")
    # The processes find out themselves.
    assert with_settings(path, "ourlaunch", "-n", "3", "./app").settings.order == ORDER
    assert with_settings(path, "mpirun", "./app").settings.order == ORDER


@pytest.mark.parametrize(
    "options", [["--place", "order"], ["--reorder"], []], ids=["place", "reorder", "none"]
)
@pytest.mark.parametrize("kind", ["order", "bindings", "neither"])
def test_one_option_gives_the_ranks(
    options: list[str],
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    golden: Golden,
) -> None:
    """Nothing is started if two do, or if --renumber is given without an order."""
    seats = tuple(Binding(rank, "node1") for rank in range(4))
    given = settings(bindings=seats if kind == "bindings" else ())
    written(tmp_path, replace(given, order=ORDER if kind == "order" else None))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "order").write_text("1,0\n")
    monkeypatch.setattr(WithSettings, "of", lambda path, *_: WithSettings(path, read(path), None, "", None))
    started = []

    def start(launched: Sequence[str], *_: object, **__: object) -> job.End:
        started.append(launched)
        return job.End(0, "")

    monkeypatch.setattr(job, "run", start)
    renumber = [] if options or kind == "order" else ["--renumber"]
    words = ["run", "-o", "p", "--with", "s.json", *options, *renumber, "--", "true"]
    status = main(words)
    said = capfd.readouterr().err
    contradict = (options and kind == "order") or ("--place" in options and kind == "bindings")
    assert bool(started) == (not contradict and not renumber)
    if started:
        return
    assert status == 2
    assert_complaint(said, "s.json")
    golden.says(said)


@pytest.mark.parametrize(
    ("command", "kind", "said"),
    [
        ("mpirun -n 4 ./a", Kind.MPI, ""),
        ("mpirun -n 4 ./a", Kind.SCRIPT, ""),
        ("mpirun -n 4 ./a", Kind.LINKED, "./a"),
        ("mpirun -n 2 ./a : -n 2 ./a", Kind.MPI, ""),
        ("mpirun -n 2 ./a : -n 2 ./b", Kind.MPI, "several programs"),
        ("mpirun -n 2 ./a one : -n 2 ./a two", Kind.MPI, "several programs"),
        ("srun -n 4 --multi-prog programs", Kind.MPI, "several programs"),
    ],
)
def test_launches_that_can_not_participate(
    command: str, kind: Kind, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "programs").write_text("0-1 ./a\n2-3 ./b\n")
    words = shlex.split(command)
    planned = Plan(tuple(words), parse(words), (Detection("./a", kind),), {}, "", None)
    assert said in refusal(planned)
    assert bool(said) == bool(refusal(planned))


def test_a_profile_in_another_order_is_not_the_command(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], golden: Golden
) -> None:
    """`rankwise tune` runs the program in the launcher's order."""
    path = write_profile(tmp_path / "a.rankwise")
    say_if_reordered(path)
    assert capfd.readouterr().err == ""
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE communicators SET reordered = 1 WHERE name = 'W'")
    connection.close()
    say_if_reordered(path)
    said = capfd.readouterr().err
    assert_complaint(said, f"{path} .. MPI_COMM_WORLD")
    golden.says(said)
