"""`rankwise links`: what it tells of runs and of made-up traffic on fabrics, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fabrics_synthetic import star
from profiles import write_traffic

from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.network.fabric.draft import Draft, DraftPort, DraftSwitch, finished
from rankwise.network.fabric.model import MEASURED, Fabric, Routing, Source
from rankwise.network.job.lids import lids_used
from rankwise.network.quality import RailQuality
from rankwise.network.sources.fabric_json.write import write_fabric
from rankwise.views.links.rows import messages_text
from rankwise.views.links.sentences import fabric_lines, sentence_of, worth

FABRICS = Path(__file__).parents[1] / "fabrics"
SMALL, MEDIUM, TSUBAME = (FABRICS / name for name in ("small-ftree", "medium-ftree", "tsubame-r1-ftree"))
MIB = 1 << 20
Messages = list[tuple[int, int, str, int, int]]


def all_pairs(ranks: int, size: int = MIB) -> Messages:
    """Each rank sends each other one message."""
    return [(a, b, "point-to-point", 1, size) for a in range(ranks) for b in range(ranks) if a != b]


def names(first: int, last: int) -> list[str]:
    return [f"node{number:04}" for number in range(first, last + 1)]


def json_of(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, Any]:
    assert main(["links", *map(str, words), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def shown(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["links", *map(str, words)]) == 0
    return capsys.readouterr().out


def save(fabric: object, file: object, *words: str) -> int:
    return main(["links", "save", str(fabric), "-o", str(file), *words])


def refusal(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["links", *map(str, words)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("rankwise: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.fixture
def on_small(tmp_path: Path) -> Path:
    """16 ranks on the 16 hosts of the small fabric, all to all."""
    return write_traffic(tmp_path / "all.rankwise", names(1, 16), all_pairs(16))


def classes(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["link_class"]: row for row in answer["classes"]}


def test_a_run_on_its_hosts(on_small: Path, capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    answer = json_of(capsys, on_small, "--fabric", SMALL)
    golden.says("\n".join(answer["matched"][1:4]), "32 of 8 Gbit/s (4x) .. 16 .. 16 .. 16")
    # 4 leaves of 4 hosts with 4 cables up: each carries what goes to one host of every other leaf.
    rows = classes(answer)
    assert {name: row["max"] for name, row in rows.items()} == {
        "host up": 15 * MIB,
        "host down": 15 * MIB,
        "leaf up": 12 * MIB,
        "leaf down": 12 * MIB,
    }
    assert [row["excess"] for row in rows.values()] == [1.0] * 4
    golden.says(answer["verdict"])
    assert answer["bottleneck"]["times"] == 12 / 15
    assert answer["hops"] == [[{"switches": 1, "bytes": 48.0 * MIB}, {"switches": 3, "bytes": 192.0 * MIB}]]
    assert [row["name"] for row in answer["what_if"]] == [
        "as it is",
        "ranks in order",
        "ranks at random",
        "even split",
    ]
    assert len(answer["hot_links"]) == 20
    assert len(answer["hot_links"][0]["hosts"]) == 5
    assert answer["hot_links"][0]["host_count"] == 12
    assert answer["causes"][0]["cause"]["communicator"] == "W"
    assert answer["fabric"]["rails"][0]["forwarding_index"] == 12.0


def test_what_is_printed_is_in_the_json(on_small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = json_of(capsys, on_small, "--fabric", SMALL)
    text = " ".join(shown(capsys, on_small, "--fabric", SMALL).split())
    for sentence in (*answer["matched"], answer["verdict"], *answer["sentences"], *answer["notes"]):
        assert " ".join(sentence.split()) in text
    assert "Hot links between switches" in text
    assert "Alternatives" in text


def test_causes_of_next_to_nothing_are_left_to_the_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = [f"node{number:04}" for number in range(1, 17)]
    large, small = (0, 5, "point-to-point", 1, 100 * MIB), (0, 5, "one-sided", 1, 1000)
    profile = write_traffic(tmp_path / "two.rankwise", hosts, [large, small])
    assert len(json_of(capsys, profile, "--fabric", SMALL)["causes"]) == 2
    text = shown(capsys, profile, "--fabric", SMALL)
    assert "By cause: those with 1 % or more, 1 of 2" in text


@pytest.mark.parametrize(
    ("by", "key"), [("class", "classes"), ("link", "links"), ("switch", "switches"), ("flow", "flows")]
)
def test_by(on_small: Path, capsys: pytest.CaptureFixture[str], by: str, key: str) -> None:
    rows = json_of(capsys, on_small, "--fabric", SMALL, "--by", by, "--limit", 3)[key]
    assert len(rows) == {"class": 4, "link": 3, "switch": 6, "flow": 3}[by]
    text = shown(capsys, on_small, "--fabric", SMALL, "--by", by, "--limit", 3)
    assert ("--limit 0 shows all rows" in text) == (by == "switch")


def test_another_place(
    on_small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    listed = json_of(capsys, on_small, "--fabric", SMALL, "--place", "node[0001-0004]*4")
    golden.says(listed["matched"][3], "16 .. 4 .. 4")
    assert listed["job"]["bytes_within_hosts"] == 4 * 12 * MIB
    assert listed["job"]["bytes_on_links"] == 4 * 48 * MIB
    golden.says(listed["verdict"])
    assert [row["name"] for row in listed["what_if"]][1] == "as it ran"
    hosts = tmp_path / "hosts"
    hosts.write_text("".join(f"{name} slots=4\n" for name in names(1, 4)))
    from_file = json_of(capsys, on_small, "--fabric", SMALL, "--place", hosts)
    assert from_file["classes"] == listed["classes"]


def test_all_to_all_is_that_of_a_run(on_small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = json_of(capsys, on_small, "--fabric", SMALL)
    made = json_of(capsys, "--fabric", SMALL, "--all-to-all", "1M")
    assert made["classes"] == run["classes"]
    part = json_of(capsys, "--fabric", SMALL, "--all-to-all", "1M", "--place", "node[0001-0004]")
    assert classes(part)["host up"]["max"] == 3 * MIB


def test_a_transform_of_512_hosts(capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    # NPB FT, class E, 512 ranks, one on each host: 1 MiB from each to each other, each time.
    answer = json_of(capsys, "--fabric", TSUBAME, "--all-to-all", "1M")
    row = classes(answer)["leaf up"]
    assert (row["max"] / MIB, round(row["mean"] / MIB)) == (1296.0, 441)
    golden.says(answer["verdict"], "2.54 x")
    golden.says("\n\n".join(answer["sentences"]), "Alltoall .. edge-r1-01 [22] -> ")


def test_only_a_fabric(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "--fabric", MEDIUM)
    assert text.startswith("Fabric: 324 hosts, 27 switches, 648 cables;")
    assert_facts(text, "306")
    assert json_of(capsys, "--fabric", MEDIUM)["fabric"]["rails"][0]["forwarding_index"] == 306.0


@pytest.mark.parametrize(
    ("warning", "sentence"),
    [
        ("switches without a table: 1", "Switches without a table: 1."),
        ("topology.conf: cables are modelled", "topology.conf: cables are modelled."),
        ("first: hosts that are lost: 2", "first .. 2"),
    ],
)
def test_names_stay_as_they_are_where_a_sentence_begins(warning: str, sentence: str, golden: Golden) -> None:
    golden.says(sentence_of(warning), sentence)


def test_a_fabric_in_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fabric.json.gz"
    assert save(SMALL, file) == 0
    assert save(TSUBAME, file) == 2
    assert str(file) in capsys.readouterr().err
    assert save(TSUBAME, file, "--force") == 0
    words = ("--all-to-all", "1M")
    assert classes(json_of(capsys, "--fabric", file, *words)) == classes(
        json_of(capsys, "--fabric", TSUBAME, *words)
    )


def test_several_lids(capsys: pytest.CaptureFixture[str], golden: Golden) -> None:
    words = ("--fabric", FABRICS / "small-ftree-lmc1", "--all-to-all", "1M", "--lid")
    first, second, split = (classes(json_of(capsys, *words, lid))["leaf up"] for lid in ("0", "1", "split"))
    assert first["bytes"] == second["bytes"] == split["bytes"] == 192 * MIB
    assert split["max"] >= 12 * MIB
    for lid, line in (
        ("0", "LIDs: messages are sent to LID 0 of a port, of 0 to 1."),
        ("split", "LIDs: messages are split evenly over all LIDs of a port."),
    ):
        assert line in json_of(capsys, *words, lid)["matched"]
        assert line in json_of(capsys, *words[:2], "--lid", lid)["sentences"]
    golden.says(refusal(capsys, *words, 2), "--lid 2 .. LID 2 .. 0 .. 0 .. 1")
    assert "--lid 1: no port" in refusal(capsys, "--fabric", SMALL, "--all-to-all", "1M", "--lid", 1)
    assert not any(
        "LIDs" in line for line in json_of(capsys, "--fabric", SMALL, "--all-to-all", "1M")["matched"]
    )


def test_ports_with_fewer_lids() -> None:
    subnet = star(["n1", "n2", "n3"])
    ports = replace(subnet.ports, lid_counts=np.array([1, 2, 4], np.int32))
    mixed = Fabric((replace(subnet, ports=ports),), ())
    assert lids_used(mixed, 1) == (
        "are sent to LID 1 of a port, of 0 to 3; 1 port with fewer: LID 1 modulo their number"
    )
    assert lids_used(mixed, 0) == "are sent to LID 0 of a port, of 0 to 3"


def test_hosts_that_the_fabric_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    hosts = [*names(1, 3), "elsewhere"]
    answer = json_of(capsys, write_traffic(tmp_path / "f.rankwise", hosts, all_pairs(4)), "--fabric", SMALL)
    assert answer["job"]["bytes_lost"] == 6 * MIB
    assert any("elsewhere" in note for note in answer["notes"])
    assert any(note.startswith("6.00 MiB ") for note in answer["notes"])
    golden.says(answer["matched"][4], "12.0 MiB .. 6.00 MiB")
    golden.says(answer["verdict"], "50.0 %")


def without_ways(to: Path, lids: Sequence[int]) -> Path:
    """Two leaves of two hosts with LIDs 1 to 4, one spine, which has no way for some LIDs."""
    draft = Draft("", Routing(MEASURED))
    spine, leaves, hosts = 10, (11, 12), (1, 2, 3, 4)
    for number, guid in enumerate((spine, *leaves)):
        draft.switches[guid] = DraftSwitch(f"s{guid}", lid=5 + number)
    for host in hosts:
        draft.ports[host, 1] = DraftPort(f"node{host:04}", lid=host)
    for number, leaf in enumerate(leaves):
        draft.link((leaf, 9), (spine, number + 1))
        for port in (1, 2):
            draft.link((leaf, port), (2 * number + port, 1))
        own = [host - 2 * number if 1 <= host - 2 * number <= 2 else 9 for host in hosts]
        draft.tables[leaf] = (np.array(hosts), np.array(own))
    ways = [host for host in hosts if host not in lids]
    draft.tables[spine] = (np.array(ways, int), np.array([(host + 1) // 2 for host in ways], int))
    write_fabric(Fabric((finished(draft),), (Source("generator", "made"),)), to, False)
    return to


def test_traffic_that_is_not_delivered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    across = [(rank, (rank + 2) % 4, "point-to-point", 1, MIB) for rank in range(4)]
    job = write_traffic(tmp_path / "f.rankwise", names(1, 4), across)
    whole = json_of(capsys, job, "--fabric", without_ways(tmp_path / "whole.json", []))
    assert whole["matched"][-1] == "Traffic: messages; 4.00 MiB between hosts."
    golden.says(whole["verdict"])

    half = json_of(capsys, job, "--fabric", without_ways(tmp_path / "half.json", [1, 3]))
    golden.says(half["matched"][-1], "4.00 MiB .. 2.00 MiB")
    golden.says(half["verdict"], "50.0 %")
    assert not [line for line in half["sentences"] if "little difference" in line]

    none = json_of(capsys, job, "--fabric", without_ways(tmp_path / "none.json", [1, 2, 3, 4]))
    assert none["matched"][-1].startswith("Traffic: messages; 4.00 MiB between hosts; on no link: 4.00 MiB")
    golden.says(none["verdict"])


def test_a_narrow_first_screen(
    on_small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(capsys, on_small, "--fabric", SMALL).splitlines()
    begin = lines.index("Hot links between switches")
    rows = lines[begin + 2 : begin + 7]
    assert all(" -> " in row and " 100 % " in row for row in rows)
    assert not [line for line in lines if line.lstrip().startswith("%")]
    assert max(map(len, lines)) <= 80


def test_one_of_a_kind(golden: Golden) -> None:
    lone = replace(star(["n1"]), name="rail1")
    assert fabric_lines(Fabric((lone,), ()), 0)[0].startswith("Fabric: 1 host, 1 switch, 1 cable;")
    both = Fabric((lone, replace(lone, name="ib1")), ())
    said = worth([RailQuality(2, 1.0, None), RailQuality(2, 2.0, None)], both)
    golden.says("\n".join(said), "2 .. rail1 .. 1 .. 2 .. ib1 .. 2")


def test_all_on_one_host(on_small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, on_small, "--fabric", SMALL, "--place", "node0001*16", "--by", "flow")
    assert "No data passes between hosts.\n" in text


def test_a_placement_of_another_job(
    on_small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    rows = [f"{rank},node{rank % 16 + 1:04}" for rank in range(20)]
    place = tmp_path / "placement.csv"
    place.write_text("\n".join(["rank,host", *rows]))
    error = refusal(capsys, on_small, "--fabric", SMALL, "--place", place)
    golden.says(error, "placement.csv .. 19 .. 16")


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (0.5, "0.5"), (0.01, "<0.1"), (2.0, "2"), (9.96, "10.0"), (12.4, "12")]
)
def test_messages_that_are_split(number: float, text: str) -> None:
    assert messages_text(number) == text


def test_a_run_that_sends_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    quiet = write_traffic(tmp_path / "quiet.rankwise", names(1, 4), [])
    answer = json_of(capsys, quiet, "--fabric", SMALL)
    golden.says(answer["verdict"])
    (tmp_path / "small").symlink_to(SMALL)  # where a line is broken depends on the length of the path
    monkeypatch.chdir(tmp_path)
    golden.says(shown(capsys, quiet, "--fabric", "small"))
    for by in ("class", "link", "switch", "flow"):
        shown(capsys, quiet, "--fabric", SMALL, "--by", by)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "--fabric PATH"),
        (("--fabric", SMALL, "--by", "link"), "--by needs a profile, or --all-to-all"),
        (("--fabric", SMALL, "--all-to-all", "much"), "is not a size"),
        (("--fabric", SMALL, "--all-to-all", "1025G"), "is more than 1024G"),
        (("--fabric", SMALL, "--all-to-all", "1M", "--call", "Bcast"), ""),
        (("--fabric", SMALL, "--all-to-all", "1M", "--lid", "x"), "--lid x: give split"),
        (("--fabric", SMALL, "--all-to-all", "1M", "--place", "nobody"), "nobody"),
        (("--fabric", SMALL, "--all-to-all", "1M", "--rail", "nosuch"), "nosuch"),
        (("--fabric", SMALL, "PROFILE"), "--fabric"),
        (("PROFILE", "--fabric", SMALL, "--all-to-all", "1"), "--all-to-all is synthetic traffic"),
        (("PROFILE", "--fabric", SMALL, "--call", "nothing"), "there is no MPI procedure 'nothing'"),
        (("PROFILE", "--fabric", SMALL, "--communicator", "nobody"), "nobody"),
        (("PROFILE", "--fabric", SMALL, "--place", "node0001"), "has room for 1 rank, but"),
        (("PROFILE", "--fabric", SMALL, "--place", "no.csv"), "rankwise: no.csv is not found: give"),
        (("PROFILE", "--fabric", SMALL, "--place", "node0001.site"), "has room for 1 rank, but"),
        (("PROFILE", "--fabric", SMALL, "--place", ""), ""),
        (("PROFILE", "--fabric", SMALL, "--communicator", "x"), "`rankwise show F --by communicator` shows"),
        (("PROFILE", "--fabric", MEDIUM / "nothing"), "nothing"),
        (("PROFILE", "--fabric", SMALL, "--limit", "-1"), ""),
    ],
)
def test_refused(
    on_small: Path, words: Sequence[object], why: str, capsys: pytest.CaptureFixture[str], golden: Golden
) -> None:
    golden.says(refusal(capsys, *(on_small if word == "PROFILE" else word for word in words)), why)


def test_names_are_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = []
    for name in ("opensm-subnet.lst", "opensm.fdbs"):
        text = (SMALL / name).read_text().replace("{leaf01}", "{\x1b[2Jleaf}")
        (tmp_path / name).write_text(text)
        words.append(tmp_path / name)
    assert "\x1b" not in shown(capsys, "--fabric", *words, "--all-to-all", "1k")
