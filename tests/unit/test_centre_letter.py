"""Letters to users: true, about what they can change, with a line to use, or none."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path

import pytest

pytest.importorskip("duckdb")

import centre_made
from centre_made import MONTH, Group, Planted, month_of, planted_month, write

from golden import Golden, assert_complaint, assert_facts
from rankwise.__main__ import main
from rankwise.centre.schema import RUNS
from rankwise.runs.headline import owner_name


@pytest.fixture(autouse=True)
def accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any user has an account."""
    monkeypatch.setattr(centre_made, "ACCOUNTS", defaultdict(lambda: "physics"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("centre") / "store"
    planted_month(path)
    return path


def written(
    capsys: pytest.CaptureFixture[str], store: Path, user: str, month: str = MONTH
) -> tuple[str, str]:
    assert main(["centre", "letter", str(store), "--user", user, "--month", month]) == 0
    said = capsys.readouterr()
    return said.out, said.err


def letter_about(
    capsys: pytest.CaptureFixture[str], path: Path, *groups: Group, **columns: object
) -> tuple[str, str]:
    rows = month_of(MONTH, groups)
    for row in rows[RUNS]:
        row.update(columns)
    write(path, rows, MONTH, "a")
    return written(capsys, path, groups[0].user)


def test_numbers_are_the_planted_ones(
    store: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    text, err = written(capsys, store, "alice")
    vasp, *lammps = (group for group in centre_made.GROUPS if group.program in ("vasp", "lammps"))
    hours = vasp.node_hours
    assert_facts(text, f"{vasp.runs} .. vasp .. 2026 used {hours:.0f} .. Up to {0.3 * hours:.0f}")
    hours = sum(group.node_hours for group in lammps)
    assert_facts(text, f"24 .. lammps .. 2026 used {hours:.1f} .. About {0.3 * hours:.1f}")
    assert_facts(text, "10040 of 2026-10-10")
    assert "    rankwise show --by waiting /profiles/vasp.40.rankwise\n" in text
    golden.says(" ".join(text.split()))
    assert re.match(r"Subject: [^\n]+\n\nDear alice,\n\n", text)
    assert err == ""


def test_a_letter_is_short_plain_text_about_one_user(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for user, others in (("alice", "bob|carol|dave|gromacs|icon"), ("bob", "alice|carol|vasp|icon")):
        text, _ = written(capsys, store, user)
        assert text.isascii()
        assert len(text.split()) < 200
        assert all(len(line) <= 78 for line in text.splitlines())
        assert not re.search(others, text)


@pytest.mark.parametrize(
    ("rule", "columns", "line"),
    [
        ("badly-bound", {"launcher": "srun"}, "srun --cpu-bind=cores ..."),
        ("badly-bound", {"launcher": "mpirun"}, "mpirun --map-by slot:PE=T --bind-to core ..."),
        ("badly-bound", {"launcher": "", "mpi_library": "MPICH 4.2"}, "rankwise show --by waiting"),
        ("oversubscribed", {"launcher": "srun"}, "#SBATCH --ntasks-per-node=P"),
        ("preempted", {"launcher": "srun"}, "#SBATCH --exclusive"),
        (
            "off-node-traffic",
            {"profile": "/a b.rankwise"},
            "rankwise run --place '/a b.rankwise' -- srun ...",
        ),
        ("hang", {}, "rankwise show --by waiting /profiles/prog.1.rankwise"),
    ],
)
def test_there_is_a_line_to_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rule: str, columns: dict[str, object], line: str
) -> None:
    group = Group("prog", "eve", 1, 20, 2.0, (Planted(rule, 0.5),))
    text, _ = letter_about(capsys, tmp_path / "store", group, **columns)
    assert f"    {line}" in text


@pytest.mark.parametrize(
    "planted",
    [
        Planted("late-ranks", 0.6, "low"),
        Planted("late-ranks", 0.6, "medium"),
        Planted("late-ranks", 0.04),  # of the node hours
        Planted("blocked-ports", 0.6),  # users can't change the network
        Planted("start-and-end", 0.6),
    ],
)
def test_what_is_not_worth_a_letter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], planted: Planted
) -> None:
    text, err = letter_about(capsys, tmp_path / "store", Group("prog", "eve", 10, 20, 2.0, (planted,)))
    assert text == ""
    assert_complaint(err, "eve .. October 2026")


def test_few_node_hours_are_not_worth_a_letter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = Group("prog", "eve", 1, 1, 10.0, (Planted("late-ranks", 0.9),))
    assert letter_about(capsys, tmp_path / "store", small)[0] == ""


def test_another_month_and_another_user_have_no_letter(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert written(capsys, store, "alice", "2026-09")[0] == ""
    assert written(capsys, store, "zoe")[0] == ""
    assert main(["centre", "letter", str(store), "--user", ""]) == 2
    assert main(["centre", "letter", str(store), "--user", "alice", "--month", "October"]) == 2


def test_strange_names_and_paths_are_only_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    group = Group("a\nBcc: all\x1b[31m", "eve\nBcc: x", 1, 20, 2.0, (Planted("late-ranks", 0.9),))
    text, _ = letter_about(capsys, tmp_path / "store", group, profile="/p/\nx.rankwise")
    assert "\x1b" not in text
    assert not re.search("^Bcc|^x.rankwise", text.partition("\n\n")[0], re.MULTILINE)
    assert text.isascii()


def test_mine_shows_the_jobs_of_the_owner_of_the_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    me = owner_name(os.geteuid())
    planted = (Planted("late-ranks", 0.5),)
    groups = [Group("own-program", me, 2, 4, 1.0, planted), Group("foreign", "somebody", 2, 4, 1.0, planted)]
    planted_month(tmp_path / "store", groups=groups)
    assert main(["centre", "mine", str(tmp_path / "store")]) == 0
    out = capsys.readouterr().out
    assert "own-program" in out
    assert not re.search("foreign|somebody", out)


def test_mine_finds_a_pseudonym(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rankwise.centre.hiding import Hiding

    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef")
    key.chmod(0o600)
    name = Hiding(key=key.read_bytes()).pseudonym(owner_name(os.geteuid()))
    planted_month(tmp_path / "store", groups=[Group("own-program", name, 2, 4, 1.0, (Planted("hang", 0.5),))])
    assert main(["centre", "mine", str(tmp_path / "store"), "--pseudonyms", str(key)]) == 0
    assert "own-program" in capsys.readouterr().out
    assert main(["centre", "mine", str(tmp_path / "store")]) == 0
    assert "own-program" not in capsys.readouterr().out
