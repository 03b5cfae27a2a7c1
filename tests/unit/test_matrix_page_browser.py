"""The page Matrix in a real browser: its numbers are those of `rankwise show --matrix`."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import large_profiles
import profiles
import pytest
from browsers import Tab
from large_profiles import FACES, STEPS, Grid

from exhaustive import few
from golden import assert_facts
from rankwise.__main__ import main
from rankwise.reading.profile import open_profile
from rankwise.render.page.blocks import BlockSums
from rankwise.render.page.contents.parts import messages

SMALL = Grid(8, 4, 4)
Pairs = dict[tuple[str, str], tuple[float, float]]


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    return profiles.write_inside(tmp_path / "inside.rankwise")


@pytest.fixture(scope="module")
def stencil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return large_profiles.kept_stencil(tmp_path_factory, SMALL)


def opened(browser: Any, profile: Path, folder: Path, address: str = "", **how: Any) -> Tab:
    path = folder / "report.html"
    assert main(["report", str(profile), "-o", str(path), "--force"]) == 0
    tab = Tab(browser, path, **how)
    tab.page.goto(f"{path.as_uri()}#page=matrix{address}")
    tab.page.wait_for_selector(".sheet.matrix .card canvas, .sheet.matrix .empty")
    return tab


def pairs(tab: Tab, ends: str, folder: Path) -> Pairs:
    rows = tab.rows(f"#matrix-{ends}-data", folder)
    return {
        (row["source"], row["destination"]): (float(row["bytes"]), float(row["messages"])) for row in rows
    }


def shown(profile: Path, ends: str, **what: Any) -> Pairs:
    answer = open_profile(profile).matrix(ends, **what)
    names = [str(label) for label in answer.labels]
    return {
        (names[cell["source"]], names[cell["destination"]]): (cell["bytes"], cell["messages"])
        for cell in answer.data["matrix"]["cells"]
    }


def title(tab: Tab, ends: str) -> str:
    return str(tab.page.locator(f"#matrix-{ends} h2").text_content())


def caption(tab: Tab, ends: str) -> str:
    return str(tab.page.locator(f"#matrix-{ends} .caption:not(.use)").text_content())


def read_out(tab: Tab, ends: str, *keys: str) -> str:
    """What is read out of the cell that the keys go to."""
    canvas = tab.page.locator(f"#matrix-{ends} canvas")
    canvas.focus()
    for key in keys:
        canvas.press(key)
    return str(tab.page.locator(f"#matrix-{ends} .unseen").text_content())


@pytest.mark.parametrize("kind", ["all", "point-to-point", "in-collective"])
def test_numbers_are_those_of_the_terminal(browser: Any, inside: Path, tmp_path: Path, kind: str) -> None:
    tab = opened(browser, inside, tmp_path, f"&matrix-kind={kind}")
    for ends in ("rank", "node"):
        assert pairs(tab, ends, tmp_path) == shown(inside, ends, kind=kind)
    tab.close()


@pytest.mark.parametrize(
    ("filters", "part"),
    [
        ("&communicator=W", {"communicator": ["W"]}),
        ("&procedure=Isend", {"call": ["Isend"]}),
        ("&ranks=3", {"rank": 3}),
    ],
)
def test_filters_choose_as_in_the_terminal(
    browser: Any, inside: Path, tmp_path: Path, filters: str, part: dict[str, Any]
) -> None:
    tab = opened(browser, inside, tmp_path, filters)
    assert pairs(tab, "rank", tmp_path) == shown(inside, "rank", **part)
    tab.close()


def test_filters_that_messages_know_nothing_of_are_told(browser: Any, inside: Path, tmp_path: Path) -> None:
    tab = opened(browser, inside, tmp_path, "&region=solve")
    assert "region" in str(tab.page.locator(".notice").first.text_content())
    assert pairs(tab, "rank", tmp_path) == shown(inside, "rank")
    tab.close()


def test_captions_tell_what_is_missing(browser: Any, inside: Path, tmp_path: Path) -> None:
    with sqlite3.connect(inside) as connection:
        connection.execute("INSERT INTO messages VALUES (0, -1, 3, 'point-to-point', 3, 7, 70)")
    tab = opened(browser, inside, tmp_path)
    for ends in ("rank", "node"):
        text = caption(tab, ends)
        assert_facts(text, "7 .. 70 B")
        assert "of collectives" in text
    tab.click("text=point-to-point")
    assert "of collectives" not in caption(tab, "rank")
    tab.close()


def test_titles_are_findings(browser: Any, stencil: Path, tmp_path: Path) -> None:
    tab = opened(browser, stencil, tmp_path, "&procedure=Isend")
    # Faces along x go to neighbours, but for those at the end of a row, which reach 7 ranks back.
    along_x, all_faces = FACES[0] * (2 - 2 / SMALL.x), 2 * sum(FACES)
    assert_facts(title(tab, "rank"), f"{100 * along_x / all_faces:.1f} %")
    # Two nodes, each two layers along z: half of the ranks' faces along z leave them.
    off_node = FACES[2] * 2 / 2 / all_faces
    assert_facts(title(tab, "node"), f"{100 * off_node:.1f} %")
    tab.close()


def test_a_pair_is_told_and_chosen(browser: Any, stencil: Path, tmp_path: Path) -> None:
    tab = opened(browser, stencil, tmp_path, "&matrix-of=rank")
    spoken = read_out(tab, "rank", "ArrowRight", "ArrowRight")
    size = FACES[0] * STEPS + 8 * STEPS
    assert "rank 0 → 1" in spoken
    assert "node0000 → node0000" in spoken
    assert f"{size / 2**20:.1f} MiB" in spoken
    assert 'Isend on W_a1 "grid"' in spoken
    assert "Allreduce on W, inside" in spoken
    read_out(tab, "rank", "Enter")
    assert "ranks=0%2C1" in tab.page.url
    cells = pairs(tab, "rank", tmp_path)
    assert cells == shown(stencil, "rank", rank=[0, 1])
    read_out(tab, "rank", "ArrowRight", "Enter")
    assert "ranks=" not in tab.page.url
    tab.close()


def test_choices_are_in_the_address(browser: Any, inside: Path, tmp_path: Path) -> None:
    tab = opened(browser, inside, tmp_path)
    for text, part in (
        ("inside collectives", "matrix-kind=in-collective"),
        ("mean size", "matrix-measure=size"),
        ("linear", "matrix-scale=linear"),
        ("nodes", "matrix-of=node"),
    ):
        tab.click(f".choices button:text-is('{text}')")
        assert part in tab.page.url
    assert tab.page.locator(".choices button:text-is('one-sided')").is_disabled()
    assert tab.page.locator("#matrix-rank").is_hidden()
    assert title(tab, "node").startswith("A message has 8 B on average")
    tab.close()


def test_data_are_of_what_is_zoomed_to(browser: Any, stencil: Path, tmp_path: Path) -> None:
    tab = opened(browser, stencil, tmp_path, "&matrix-of=rank")
    whole = pairs(tab, "rank", tmp_path)
    for _ in range(6):
        tab.click("#matrix-rank [aria-label='zoom in']")
    part = pairs(tab, "rank", tmp_path)
    assert 0 < len(part) < len(whole)
    assert part.items() <= whole.items()
    tab.click("#matrix-rank [aria-label='show the whole matrix']")
    assert pairs(tab, "rank", tmp_path) == whole
    [image] = tab.saved("#matrix-rank-image", tmp_path)
    assert image.read_bytes().startswith(b"\x89PNG")
    tab.close()


def given(tab: Tab, name: str, text: str) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    tab.page.set_input_files("#matrix-file", file)


@pytest.mark.parametrize(
    ("name", "text"),
    few(
        [
            ("a.ranks", "".join(f"rank {rank}=n{rank % 2} slot=0:{rank // 2}\n" for rank in range(4))),
            ("hosts", "n0\nn1\nn0 # again\nn1\n"),
            ("p.csv", "rank,host,package,core,core_of_package,cpu\n0,n0,,,,\n1,n1,,,,\n2,n0,,,,\n3,n1,,,,\n"),
            (
                "p.json",
                '[{"rank":3,"host":"n1","core":1},{"rank":1,"host":"n1","core":0},'
                '{"rank":0,"host":"n0","core":null},{"rank":2,"host":"n0","package":null}]',
            ),
        ],
        2,
    ),
)
def test_a_file_tells_other_places(browser: Any, inside: Path, tmp_path: Path, name: str, text: str) -> None:
    tab = opened(browser, inside, tmp_path)
    given(tab, name, text)
    tab.page.wait_for_selector(f".choices [aria-pressed=true]:text-is('by {name}')")
    expected: dict[tuple[str, str], list[float]] = {}
    for (source, destination), amounts in shown(inside, "rank").items():
        sums = expected.setdefault((f"n{int(source) % 2}", f"n{int(destination) % 2}"), [0, 0])
        sums[:] = [total + amount for total, amount in zip(sums, amounts, strict=True)]
    assert pairs(tab, "node", tmp_path) == {ends: tuple(sums) for ends, sums in expected.items()}
    assert pairs(tab, "rank", tmp_path) == shown(inside, "rank")
    # Nodes had ranks 0 and 1, and 2 and 3: what goes between those is in the caption still.
    off_node, whole = 4 * 51200 + 4 * 800, 4 * (153600 + 51200) + 8 * 800 + 6
    assert_facts(caption(tab, "node"), f"{100 * off_node / whole:.1f} %")
    # The rows are ranks 0, 2, 1, 3 now.
    assert "rank 0 → 2" in read_out(tab, "rank", "ArrowRight", "ArrowRight")
    tab.close()


@pytest.mark.parametrize(
    ("text", "facts"),
    few(
        [
            ("n0\n", "1 .. 4"),
            ("rank 9=n0\n", "9 .. 0 .. 3"),
            ("[{", "JSON"),
            ('[{"rank": "0"}]', "1"),
            ("rank 0=a\nrank 0=b\n", "0"),
        ],
        2,
    ),
)
def test_a_wrong_file_is_told(browser: Any, inside: Path, tmp_path: Path, text: str, facts: str) -> None:
    tab = opened(browser, inside, tmp_path)
    given(tab, "wrong", text)
    complaint = tab.page.wait_for_selector("text=/^wrong /")
    assert_facts(complaint.inner_text(), f": .. {facts}")
    tab.close()


def test_ranks_can_be_shown_node_by_node(browser: Any, tmp_path: Path) -> None:
    hosts = ["a", "b", "a", "b"]
    sent = [(0, 1, "point-to-point", 1, 10), (1, 3, "point-to-point", 1, 20), (3, 2, "one-sided", 2, 30)]
    profile = profiles.write_traffic(tmp_path / "t.rankwise", hosts, sent)
    tab = opened(browser, profile, tmp_path)
    assert "rank 0 → 1" in read_out(tab, "rank", "ArrowRight", "ArrowRight")
    tab.click("text=by node")
    assert "matrix-order=node" in tab.page.url
    assert read_out(tab, "rank", "ArrowRight", "ArrowRight") == "0, 2: nothing"
    assert pairs(tab, "node", tmp_path) == {("a", "b"): (10, 1), ("b", "b"): (20, 1), ("b", "a"): (30, 2)}
    tab.close()


def test_blocks_of_ranks_say_so(
    browser: Any, stencil: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "BlockSums", lambda: BlockSums(500))
    tab = opened(browser, stencil, tmp_path)
    assert tab.page.locator("text=order by a file").is_disabled()
    assert pairs(tab, "node", tmp_path) == shown(stencil, "node")
    assert sum(size for size, _ in pairs(tab, "rank", tmp_path).values()) == sum(
        size for size, _ in shown(stencil, "rank").values()
    )
    tab.close()


def test_without_messages_the_page_says_why(browser: Any, tmp_path: Path) -> None:
    profile = profiles.write_traffic(tmp_path / "t.rankwise", ["a", "a"], [])
    tab = opened(browser, profile, tmp_path)
    assert "No messages were recorded" in str(tab.page.locator(".matrix .empty").text_content())
    tab.close()


def test_names_do_no_harm(browser: Any, tmp_path: Path) -> None:
    profile = profiles.write_inside(tmp_path / "hostile.rankwise")
    hostile = "<img src=x onerror=window.harmed=1>\u202e\x1b[31m"
    with sqlite3.connect(profile) as connection:
        connection.execute("UPDATE main.communicators SET user_name = ?", (hostile,))
        connection.execute("UPDATE main.ranks SET host = ? WHERE rank > 1", (hostile,))
    tab = opened(browser, profile, tmp_path)
    assert "<img src=x" in title(tab, "node")
    assert "<img src=x" in read_out(tab, "rank", "ArrowRight", "ArrowRight")
    given(tab, hostile, "<script>window.harmed=1</script>\n")
    tab.page.wait_for_selector("text=has no order of ranks")
    assert tab.page.evaluate("window.harmed") is None
    tab.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (2560, "dark")])
def test_nothing_is_wider_than_the_window(
    browser: Any, stencil: Path, tmp_path: Path, width: int, scheme: str
) -> None:
    tab = opened(browser, stencil, tmp_path, width=width, color_scheme=scheme)
    assert tab.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    tab.close()
