"""Static pages about all runs of a centre: complete, of the right user alone, and whole or not there."""

from __future__ import annotations

import errno
import json
import os
import re
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("duckdb")

import centre_made
from centre_made import (
    GROUPS,
    STRANGE_PROGRAM,
    STRANGE_USER,
    Group,
    Planted,
    empty_store,
    month_of,
    planted_month,
    write,
)

from rankwise import whole_folders
from rankwise.__main__ import main
from rankwise.centre.schema import RUNS
from rankwise.centre.waste import KINDS

MARK = ".rankwise-site.json"
OTHERS = (
    Group("zq-ocean", "zqanna", 3, 4, 1.0, (Planted("late-ranks", 0.3),)),
    Group("zq-plasma", "zqbert", 3, 4, 1.0, (Planted("oversubscribed", 0.3),)),
)
MINE = Group("zq-mine", "zqcarl", 3, 4, 1.0, (Planted("badly-bound", 0.3),))


class Parsed(HTMLParser):
    """Links, elements and text of a page."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.links: list[str] = []
        self.elements: set[str] = set()
        self.handlers: list[str] = []
        self.words: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


@pytest.fixture(autouse=True)
def accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any user has an account."""
    monkeypatch.setattr(centre_made, "ACCOUNTS", defaultdict(lambda: "physics"))


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "store"
    planted_month(path, groups=[MINE])
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("centre") / "store"
    planted_month(path)
    return path


@pytest.fixture(scope="module")
def site(store: Path) -> Path:
    folder = store.with_name("site")
    assert main(["centre", "site", str(store), "-o", str(folder)]) == 0
    return folder


def test_all_pages_are_there_and_all_links_lead_to_one(site: Path) -> None:
    names = {path.name for path in site.iterdir()} - {MARK}
    assert {"index.html", "programs.html", "jobs.html", "users.html", "hosts.html", "trends.html"} <= names
    assert all(re.fullmatch(r"[a-z]+(-[0-9a-f]{16})?\.html", name) for name in names)
    reached = {"index.html"}
    for name in names:
        links = Parsed((site / name).read_bytes()).links
        assert set(links) <= names, name
        reached |= {*links}
    assert reached == names
    programs = {group.program for group in GROUPS}
    assert sum(name.startswith("program-") for name in names) == len(programs)
    assert sum(name.startswith("user-") for name in names) == len({group.user for group in GROUPS})
    assert json.loads((site / MARK).read_text()) == sorted(names)


def test_names_of_strangers_are_only_shown(site: Path) -> None:
    said = ""
    for path in site.glob("*.html"):
        page = Parsed(path.read_bytes())
        assert page.elements.isdisjoint({"b", "img", "iframe", "form", "object"})
        assert not page.handlers
        said += page.text
    assert STRANGE_PROGRAM in said
    assert STRANGE_USER in said


def test_the_overview_has_the_planted_waste_in_its_order(site: Path) -> None:
    text = Parsed((site / "index.html").read_bytes()).text
    places = [text.index(f" {kind} ") for kind in ("waiting", "oversubscription", "placement", "algorithms")]
    assert places == sorted(places)
    assert KINDS["waiting"].cure in text


def test_a_page_of_a_job_has_its_findings_and_the_command_to_type(site: Path) -> None:
    pages = [Parsed(path.read_bytes()).text for path in site.glob("job-*.html")]
    (page,) = [page for page in pages if "Job 10040: vasp" in page]
    assert "late-ranks costs 30 %" in page
    assert "rankwise report /profiles/vasp.40.rankwise" in page
    assert "rankwise show --by waiting /profiles/vasp.40.rankwise" in page


def test_pages_of_a_user_have_nothing_of_others(tmp_path: Path) -> None:
    store = tmp_path / "store"
    planted_month(store, groups=[OTHERS[0], MINE, OTHERS[1]])
    whole, one, each = (tmp_path / name for name in ("whole", "one", "each"))
    assert main(["centre", "site", str(store), "-o", str(whole)]) == 0
    assert main(["centre", "site", str(store), "-o", str(one), "--user", MINE.user]) == 0
    assert main(["centre", "site", str(store), "-o", str(each), "--users"]) == 0
    secret = re.compile(
        "|".join(
            [name for group in OTHERS for name in (group.program, group.user)]
            + [rf"\b1000{number}\b" for number in (1, 2, 3, 7, 8, 9)]
        )
    )
    own = re.compile(f"{MINE.program}|{MINE.user}|10005")
    assert any(secret.search(_said(path)) for path in whole.iterdir())
    folders = {path.name for path in each.iterdir()} - {MARK}
    assert folders == {group.user for group in (*OTHERS, MINE)}
    for folder in (one, each / MINE.user):
        assert not [path.name for path in folder.rglob("*") if secret.search(f"{path} {_said(path)}")]
        assert own.search(_said(folder / "index.html"))
        assert not (folder / "users.html").exists()
        assert not (folder / "hosts.html").exists()


def _said(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def test_folders_of_users_with_strange_names_are_below_the_site(tmp_path: Path) -> None:
    store = tmp_path / "store"
    strange = ["../../etc", "a/b", "..", ".", "-rf", "x\ny", "A B", STRANGE_USER]
    planted_month(store, groups=[Group("prog", user, 1, 1, 1.0) for user in strange])
    assert main(["centre", "site", str(store), "-o", str(tmp_path / "site"), "--users"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"store", "site"}
    names = {path.name for path in (tmp_path / "site").iterdir()} - {MARK}
    assert len(names) == len(strange)
    assert all(re.fullmatch(r"-[0-9a-f]{16}", name) for name in names)


def test_nobody_else_can_read_a_new_folder_and_a_replaced_one_stays_as_it_was(
    small: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    umask = os.umask(0o077)
    try:
        assert main(["centre", "site", str(small), "-o", str(folder)]) == 0
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / "index.html").stat().st_mode & 0o777 == 0o644
        folder.chmod(0o750)
        assert main(["centre", "site", str(small), "-o", str(folder), "--force"]) == 0
        assert folder.stat().st_mode & 0o777 == 0o750
    finally:
        os.umask(umask)
    assert {path.name for path in tmp_path.iterdir()} == {"site", "store"}


def test_only_what_the_verb_wrote_is_replaced(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "site"
    command = ["centre", "site", str(small), "-o", str(folder)]
    folder.mkdir()
    (folder / "mine.txt").write_text("kept")
    assert main([*command, "--force"]) == 2
    assert f"{folder} has something else, mine.txt" in capsys.readouterr().err
    (folder / "mine.txt").unlink()
    assert main(command) == 0
    assert main(command) == 2
    assert "--force to replace it" in capsys.readouterr().err
    (folder / "below").mkdir()
    assert main([*command, "--force"]) == 2
    (folder / "below").rmdir()
    assert main([*command, "--force"]) == 0
    (tmp_path / "file").write_text("kept")
    assert main([*command[:-1], str(tmp_path / "file"), "--force"]) == 2
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize("exchanged", [True, False])
def test_a_full_disk_leaves_the_old_pages(
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    exchanged: bool,
) -> None:
    folder = tmp_path / "site"
    command = ["centre", "site", str(small), "-o", str(folder), "--force"]
    if not exchanged:
        monkeypatch.setattr(whole_folders, "exchange", lambda *_: False)
    assert main(command) == 0
    assert main(command) == 0
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    real = Path.write_bytes
    written: list[Path] = []

    def full(path: Path, data: bytes) -> int:
        written.append(path)
        if len(written) == 9:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, data)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        assert main(command) == 1
    assert os.strerror(errno.ENOSPC) in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert {path.name for path in tmp_path.iterdir()} == {"site", "store"}


def test_a_report_beside_the_profile_is_linked(tmp_path: Path) -> None:
    rows = month_of("2026-10", [MINE])
    profile = tmp_path / "profiles" / "a #1.rankwise"
    profile.parent.mkdir()
    profile.with_suffix(".html").write_text("the report")
    for row in rows[RUNS]:
        row["profile"] = str(profile)
    write(tmp_path / "store", rows, "2026-10", "a")
    assert main(["centre", "site", str(tmp_path / "store"), "-o", str(tmp_path / "site")]) == 0
    pages = [Parsed(path.read_bytes()).links for path in (tmp_path / "site").glob("job-*.html")]
    assert all("../profiles/a%20%231.html" in links for links in pages)


def test_without_runs_there_are_pages_that_say_so(
    tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["centre", "site", str(empty_store(tmp_path / "store")), "-o", str(tmp_path / "site")]) == 0
    assert "No run is left" in Parsed((tmp_path / "site" / "index.html").read_bytes()).text
    for user in ("zoe", ""):
        command = ["centre", "site", str(store), "-o", str(tmp_path / "other"), "--user", user]
        assert main(command) == 2
        assert not (tmp_path / "other").exists()
    assert "user zoe" in capsys.readouterr().err
