"""Files of measurements: ours, mmpi's logs and mpiGraph's output; whole, odd and damaged."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from golden import Golden
from rankwise.cpulist import cpu_list, cpu_text
from rankwise.errors import RankwiseError
from rankwise.latency.dense import from_matrices
from rankwise.latency.formats import detect, mmpi, mpigraph, own
from rankwise.latency.measurement import BANDWIDTHS, STATISTICS, Host, Measurement, Processor, Rank
from rankwise.latency.sizes import size_of

KIB = 1024


def matrix(count: int, seed: int = 0, low: float = 0.5) -> np.ndarray:
    """Values that a 4-byte float holds exactly."""
    return (low + np.random.default_rng(seed).random((count, count))).astype(np.float32)


def small() -> Measurement:
    """Four ranks on two hosts, with everything that a file can hold."""
    processors = (Processor(0, 0, 0, 0, 0), Processor(1, 1, 0, 0, -1))
    return from_matrices(
        ["node0", "node0", "node1", "node1"],
        {64: matrix(4, 1), KIB * KIB: matrix(4, 2)},
        {KIB * KIB: matrix(4, 3, 900.0)},
        statistics={"mean": {64: matrix(4, 4)}, "std": {64: matrix(4, 5)}},
        overhead=matrix(4, 6),
        repeats=7,
        hosts=(Host("node0", processors), Host("node1")),
        ranks=(Rank(0, (0,), 0), Rank(0, (1,), 1), Rank(1, (0, 1, 2, 8)), Rank(1)),
        about={"mode": "quiet", "command": ["mpirun", "-n", "4"], "interrupted": False, "seconds": 1.5},
    )


def equal(first: Measurement, second: Measurement) -> bool:
    def arrays(measurement: Measurement) -> list[Any]:
        tables = (measurement.pairs, measurement.alone)
        return [
            array
            for pairs in tables
            for array in (
                pairs.first,
                pairs.second,
                pairs.overhead,
                pairs.repeats,
                *(pairs.times[name] for name in STATISTICS),
                *(pairs.bandwidths[name] for name in BANDWIDTHS),
            )
        ]

    same = (first.sizes, first.hosts, first.ranks, first.about) == (
        second.sizes,
        second.hosts,
        second.ranks,
        second.about,
    )
    pairs = zip(arrays(first), arrays(second), strict=True)
    return same and all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


# Matrices.


def test_matrices_become_pairs() -> None:
    times = np.arange(9.0).reshape(3, 3)
    measurement = from_matrices(["a", "b", "a"], {8: times}, {KIB: times})
    assert measurement.sizes == (8, KIB)
    assert [host.name for host in measurement.hosts] == ["a", "b"]
    assert measurement.host_names() == ["a", "b", "a"]
    assert measurement.matrix("p95", 8).tolist() == [[0, 1, 2], [1, 0, 5], [2, 5, 0]]
    bandwidth = measurement.matrix("bandwidth", KIB)
    np.fill_diagonal(bandwidth, 0)
    assert bandwidth.tolist() == [[0, 1, 2], [3, 0, 5], [6, 7, 0]]
    assert np.isnan(measurement.pairs.times["min"][:, 1]).all()
    assert measurement.pairs.repeats.tolist() == [[1, 1]] * 3


def test_matrices_of_another_shape(golden: Golden) -> None:
    with pytest.raises(ValueError) as error:
        from_matrices(["a", "b"], {8: np.zeros((3, 3))})
    golden.says(error.value, "2 .. 2 .. 2 .. 3 .. 3")


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("", ()), ("3", (3,)), ("0-3,8", (0, 1, 2, 3, 8)), ("1,0", (0, 1)), ("0-1,1-2", (0, 1, 2))],
)
def test_lists_of_processors(text: str, cpus: tuple[int, ...]) -> None:
    assert cpu_list(text) == cpus
    assert cpu_list(cpu_text(cpus)) == cpus


@pytest.mark.parametrize("text", ["a", "3-", "3-1", "0-99999999", "-1", " 1", "1,,2", "٣"])
def test_no_lists_of_processors(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        cpu_list(text)


def test_sizes_as_words(golden: Golden) -> None:
    assert [size_of(word) for word in ("0", "64", "64B", "4k", "4KiB", "1M", "2g", " 1kb ")] == [
        0,
        64,
        64,
        4 * KIB,
        4 * KIB,
        KIB**2,
        2 * KIB**3,
        KIB,
    ]
    for word in ("", "k", "1.5k", "-1", "1t", "1_0", "٣"):
        with pytest.raises(ValueError) as error:
            size_of(word)
        golden.says(error.value)


# Our own files.


def test_own_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    own.write(small(), path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["f.json", "f.pairs"]
    assert equal(own.read(path), small())
    header = json.loads(path.read_text())
    assert (header["format"], header["version"], header["ranks"][2]["cpus"]) == (
        "rankwise-latency",
        1,
        "0-2,8",
    )
    table = header["table"]
    assert (tmp_path / "f.pairs").stat().st_size == 6 * table["record_bytes"]
    assert table["fields"][:4] == [
        ["first", None, "<u4"],
        ["second", None, "<u4"],
        ["overhead", None, "<f4"],
        ["repeats", 64, "<u4"],
    ]


def test_pairs_measured_alone_are_kept(tmp_path: Path) -> None:
    measurement = small()
    again = from_matrices(["node0", "node1"], {64: matrix(2), KIB * KIB: matrix(2)}).pairs
    changed = Measurement(
        measurement.sizes,
        measurement.hosts,
        measurement.ranks,
        measurement.pairs,
        again,
        measurement.about,
    )
    own.write(changed, tmp_path / "f.json")
    assert equal(own.read(tmp_path / "f.json"), changed)


def test_fields_in_another_order_and_width(tmp_path: Path) -> None:
    """Whoever writes a file chooses both; the header tells."""
    path = tmp_path / "f.json"
    own.write(small(), path)
    header = json.loads(path.read_text())
    fields = header["table"]["fields"]
    names = [f"{name} {size}" for name, size, _ in fields]
    records = np.fromfile(tmp_path / "f.pairs", [(n, f[2]) for n, f in zip(names, fields, strict=True)])
    wide = [[name, size, kind.replace("f4", "f8")] for name, size, kind in reversed(fields)]
    turned = np.dtype([(f"{name} {size}", kind) for name, size, kind in wide])
    other = np.empty(len(records), turned)
    for name in names:
        other[name] = records[name]
    other.tofile(tmp_path / "f.pairs")
    header["table"] |= {"fields": wide, "record_bytes": turned.itemsize}
    del header["table"]["crc32"]  # files may lack it
    path.write_text(json.dumps(header))
    assert equal(own.read(path), small())


def test_a_table_of_another_measurement_is_noticed(tmp_path: Path, golden: Golden) -> None:
    """Even if it has the same length, and values that could be."""
    measurement = small()
    own.write(measurement, tmp_path / "f.json")
    measurement.pairs.times["mean"][3, 0] *= 1.5
    own.write(measurement, tmp_path / "g.json")
    (tmp_path / "g.pairs").replace(tmp_path / "f.pairs")
    with pytest.raises(RankwiseError) as error:
        own.read(tmp_path / "f.json")
    golden.says(error.value, "f.pairs")


def test_unmeasured_pairs_are_unknown(tmp_path: Path) -> None:
    measurement = small()
    measurement.pairs.repeats[2, 0] = 0
    own.write(measurement, tmp_path / "f.json")
    pairs = own.read(tmp_path / "f.json").pairs
    assert np.isnan(pairs.times["min"]).tolist() == [[place == 2, False] for place in range(6)]


def test_existing_files_are_not_replaced(tmp_path: Path) -> None:
    path, table = tmp_path / "f.json", tmp_path / "f.pairs"
    for existing in (path, table):
        existing.write_text("mine")
        with pytest.raises(RankwiseError, match=rf"{existing} already exists: .* --force"):
            own.write(small(), path)
        assert existing.read_text() == "mine"
        assert list(tmp_path.iterdir()) == [existing]
        existing.unlink()
    path.write_text("mine")
    own.write(small(), path, force=True)
    assert equal(own.read(path), small())


def test_what_can_not_be_written_leaves_nothing(tmp_path: Path, golden: Golden) -> None:
    with pytest.raises(RankwiseError) as error:
        own.write(small(), tmp_path / "nowhere" / "f.json")
    golden.says(error.value)
    with pytest.raises(RankwiseError) as error:
        own.write(small(), tmp_path / "f.pairs")
    golden.says(error.value, "f.json")
    with pytest.raises(RankwiseError, match="is a directory"):
        own.write(small(), tmp_path)
    assert list(tmp_path.iterdir()) == []


HEADER_FAULTS = [
    (("version",), 2, "of a newer Rankwise .*: update Rankwise"),
    (("version",), 0, "`version` is 0"),
    (("version",), True, "`version` is true"),
    (("format",), "other", "not a measurement of latencies"),
    (("sizes",), [64, 64], "`sizes` is"),
    (("sizes",), [], "`sizes` is"),
    (("sizes",), [64, "1M"], 'a size is "1M"'),
    (("sizes",), 64, "`sizes` is 64"),
    (("hosts",), None, "`hosts` is missing"),
    (("hosts", 0), "node0", 'host 0 is "node0"'),
    (("hosts", 0, "name"), "", "host 0 has no name"),
    (("hosts", 0, "name"), "node1", "`hosts` holds one host twice"),
    (("hosts", 0, "processors", 0, "os"), -1, "a processor of host 0 is -1"),
    (("hosts", 0, "processors", 0, "l3"), "x", "a processor of host 0 is"),
    (("ranks",), [], "`ranks` holds 0, and a pair needs two"),
    (("ranks", 1, "host"), 2, "rank 1 is on host 2 of 2"),
    (("ranks", 1, "host"), -1, "`host` of rank 1 is -1"),
    (("ranks", 1, "host"), 0.5, "`host` of rank 1 is 0.5"),
    (("ranks", 1, "cpus"), "3-1", '`cpus` of rank 1 is "3-1"'),
    (("ranks", 1, "cpus"), [1], r"`cpus` of rank 1 is \[1\]"),
    (("ranks", 1, "cpu"), None, "`cpu` of rank 1 is missing"),
    (("mode",), 3, "`mode` is 3"),
    (("command",), "mpirun", '`command` is "mpirun"'),
    (("interrupted",), "no", '`interrupted` is "no"'),
    (("seconds",), "long", '`seconds` is "long"'),
    (("table",), None, "`table` is missing"),
    (("table", "file"), "../f.pairs", "the name of its table is"),
    (("table", "file"), "..", "the name of its table is"),
    (("table", "file"), "other.pairs", "No such file .* same directory"),
    (("table", "pairs"), 7, "342 bytes in place of 399|bytes in place of .*: it was cut short"),
    (("table", "pairs"), 5, "bytes in place of .*: it belongs to another header"),
    (("table", "pairs"), -1, "`pairs` is -1"),
    (("table", "pairs"), 10**30, "`pairs` is"),
    (("table", "crc32"), "x", '`crc32` is "x"'),
    (("table", "record_bytes"), 4, "`record_bytes` is 4, against its fields"),
    (("table", "fields"), [], r"the field .* is missing"),
    (("table", "fields", 0), ["first", None, "|O"], "is not a field"),
    (("table", "fields", 0), ["first"], "is not a field"),
    (("table", "fields", 2), ["colour", None, "<f4"], r'the field \["colour", null\] is unknown'),
    (("table", "fields", 2), ["first", None, "<f4"], r'the field \["overhead", null\] is missing'),
]


@pytest.mark.parametrize(("keys", "value", "message"), HEADER_FAULTS)
def test_wrong_headers(tmp_path: Path, keys: tuple[Any, ...], value: object, message: str) -> None:
    path = tmp_path / "f.json"
    own.write(small(), path)
    header = parent = json.loads(path.read_text())
    for key in keys[:-1]:
        parent = parent[key]
    parent[keys[-1]] = value
    path.write_text(json.dumps(header))
    with pytest.raises(RankwiseError, match=message) as error:
        detect.read(path)
    assert "\n" not in str(error.value)
    assert str(tmp_path) in str(error.value)


RECORD_FAULTS = [
    ("second", 1, 9, "record 1 is of a pair 0 - 9, with a rank outside of the 4 ranks"),
    ("first", 0, 1, "record 0 is of a pair 1 - 1, with the first rank not below the second"),
    ("second", 1, 1, "pair 0 - 1 is given twice"),
    ("second", 0, 3, "its pairs are not in order"),
    ("min 64", 2, -1.0, "min of pair 0 - 3 is -1"),
    ("mean 64", 2, np.inf, "mean of pair 0 - 3 is inf"),
    (f"forward {KIB * KIB}", 2, 0.0, "forward of pair 0 - 3 is 0"),
    ("overhead", 2, -0.5, "overhead of pair 0 - 3 is -0.5"),
]


@pytest.mark.parametrize(("field", "place", "value", "message"), RECORD_FAULTS)
def test_wrong_records(tmp_path: Path, field: str, place: int, value: float, message: str) -> None:
    path = tmp_path / "f.json"
    own.write(small(), path)
    fields = json.loads(path.read_text())["table"]["fields"]
    kind = [(name if size is None else f"{name} {size}", of) for name, size, of in fields]
    records = np.fromfile(tmp_path / "f.pairs", kind)
    records[field][place] = value
    records.tofile(tmp_path / "f.pairs")
    with pytest.raises(RankwiseError, match=f"f.pairs is damaged: {message}; copy it again"):
        own.read(path)


# Files of no known kind.


def test_other_files(tmp_path: Path, golden: Golden) -> None:
    own.write(small(), tmp_path / "f.json")
    texts = {
        "empty": (b"", "empty is empty: give the .json file"),
        "text": (b"hello\nworld\n", "is not a measurement: give the .json file"),
        "binary": (bytes(range(256)) * 8, "is not a measurement: give the .json file"),
        "profile": (b"SQLite format 3\0 and so on", "if it is a profile: rankwise show"),
        "list.json": (b"[1, 2]", "is not a measurement: give"),
        "half.json": (b'{"format": "rankwise-lat', "is not JSON .* line 1"),
        "other.json": (b'{"format": "perf"}', "is not a measurement of latencies"),
        "deep.json": (b'{"a":' * 100_000, "is not JSON"),
        "long.json": (b'{"a":' + b"1" * 10_000 + b"}", "is not JSON|is not a measurement of latencies"),
        "latin.json": (b'{"format": "\xff"}', "is not text"),
    }
    for name, (content, message) in texts.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(RankwiseError, match=message) as error:
            detect.read(path)
        assert "\n" not in str(error.value)
    with pytest.raises(RankwiseError) as error:
        detect.read(tmp_path / "f.pairs")
    golden.says(error.value, "f.pairs .. f.json")
    with pytest.raises(RankwiseError) as error:
        detect.read(tmp_path / "none")
    golden.says(error.value)
    with pytest.raises(RankwiseError, match="is not a file"):
        detect.read(tmp_path)
    with pytest.raises(RankwiseError, match="null"):
        detect.read(tmp_path / "a\0b")


# Logs of mmpi.

HEAD = "# Testing Hostname: login4\n# Processors: {} MsgLen 64 Repeats: 100\n" + mmpi.TITLE + "\n"
WIDE = "{} {:03d}   {} {:03d}     {:10.2f}{:7.2f}\n"
PLAIN = "{} {:03d}  {} {:03d}     {:6.2f}  {:6.2f}\n"


def log(names: list[str], line: str = PLAIN, scale: float = 20.0) -> str:
    """What mmpi writes: a line for each pair, in the columns of `line`."""
    count = len(names)
    values = (np.random.default_rng(count).random((count * count, 2)) * (scale, 1.0)).tolist()
    text = [HEAD.format(count)]
    for i in range(count):
        for j in range(i, count):
            mean, deviation = (0.0, 0.0) if i == j else values[i * count + j]
            text.append(line.format(names[i], i, names[j], j, mean, deviation))
    return "".join(text)


def same_bytes(path: Path, content: bytes) -> Measurement:
    path.write_bytes(content)
    measurement = detect.read(path)
    mmpi.write(measurement, path.with_name("again.log"), force=True)
    assert path.with_name("again.log").read_bytes() == content
    return measurement


def test_mmpi_values(tmp_path: Path) -> None:
    lines = [
        "nid00670 000   nid00670 000           0.00   0.00",
        "nid00670 000   nid00670 001          10.44   0.12",
        "nid00670 000   nid00671 002          20.07   0.09",
        "nid00670 001   nid00670 001           0.00   0.00",
        "nid00670 001   nid00671 002          21.00   0.50",
        "nid00671 002   nid00671 002           0.00   0.00",
    ]
    measurement = same_bytes(tmp_path / "a.log", (HEAD.format(3) + "\n".join(lines) + "\n").encode())
    assert measurement.sizes == (64,)
    assert measurement.host_names() == ["nid00670", "nid00670", "nid00671"]
    assert measurement.matrix("mean", 64).tolist() == [[0, 5.22, 10.035], [5.22, 0, 10.5], [10.035, 10.5, 0]]
    assert measurement.pairs.times["std"][:, 0].tolist() == [0.06, 0.045, 0.25]
    assert measurement.pairs.repeats.tolist() == [[100]] * 3
    for name in ("min", "median", "p95"):
        assert np.isnan(measurement.pairs.times[name]).all()
    assert np.isnan(measurement.pairs.bandwidths["forward"]).all()
    assert measurement.about["testing_hostname"] == "login4"
    assert (measurement.about["tool"], measurement.about["mode"], measurement.about["repeats"]) == (
        "mmpi",
        "serial",
        100,
    )


ODD_NAMES = {
    "one": ["a"] * 5,
    "of several lengths": ["a", "node10", "a", "a-much-longer-name.cluster.example", "b"],
    "with blanks": [f"Task {i} of 12 (0,0,{i})  R15-M1-N00-J{i:02d}" for i in range(12)],
    "that end with numbers": ["rack 1 000", "rack 1 001", "2", "000"],
    "very long": ["n" * 300, "m" * 255],
    "with control characters": ["a\x1b[31m", "b\x07", "c\x85d"],
    "that are no UTF-8": ["a\udcff", "b"],
}


@pytest.mark.parametrize("names", ODD_NAMES.values(), ids=ODD_NAMES.keys())
@pytest.mark.parametrize("line", [PLAIN, WIDE, "{:<40} {:d} {:<40} {:d} {:.2f} {:.2f}\n"])
def test_mmpi_names_and_columns(tmp_path: Path, names: list[str], line: str) -> None:
    text = log(names, line)
    measurement = same_bytes(tmp_path / "a.log", text.encode("utf-8", "surrogateescape"))
    assert measurement.host_names() == names
    assert measurement.about["mmpi"]["odd"] == {}  # type: ignore[index]


@pytest.mark.exhaustive  # 6 s
def test_mmpi_of_more_than_a_thousand_ranks(tmp_path: Path) -> None:
    """Ranks from 1000 on are wider than their column, as are times from 1000 us on."""
    measurement = same_bytes(
        tmp_path / "a.log", log([f"n{i // 8}" for i in range(1003)], scale=2500.0).encode()
    )
    assert len(measurement.pairs) == 1003 * 1002 // 2
    assert len(measurement.hosts) == 126
    assert measurement.about["mmpi"]["odd"] == {}  # type: ignore[index]


def test_mmpi_lines_of_their_own_kind(tmp_path: Path) -> None:
    """What one line has and others have not is kept, too."""
    lines = log(["a", "b", "a"]).splitlines(keepends=True)
    lines[4] = lines[4].rstrip("\n")[:-6] + "  -nan\n"  # the root of a variance below zero
    lines[6] = "b 001  b 001  0.0   0.0 \n"
    lines[7] = lines[7].replace("  ", "\t", 1)
    measurement = same_bytes(tmp_path / "a.log", "".join(lines).encode())
    assert np.isnan(measurement.pairs.times["std"][:, 0]).tolist() == [True, False, False]
    assert not np.isnan(measurement.pairs.times["mean"]).any()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.rstrip("\n"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text + "\n\n",
        lambda text: "# a comment\n#\n" + text,
        lambda text: text.replace("# Testing Hostname: login4\n", ""),
        lambda text: text.replace("Repeats: 100", "Repeats:  007 "),
    ],
)
def test_mmpi_heads_and_ends(tmp_path: Path, change: Any) -> None:
    same_bytes(tmp_path / "a.log", change(log(["a", "b"])).encode())


def test_mmpi_through_our_own_file(tmp_path: Path) -> None:
    content = log([f"node{i % 3}" for i in range(40)], WIDE).encode()
    measurement = same_bytes(tmp_path / "a.log", content)
    own.write(measurement, tmp_path / "a.json")
    mmpi.write(detect.read(tmp_path / "a.json"), tmp_path / "b.log")
    assert (tmp_path / "b.log").read_bytes() == content


@pytest.mark.parametrize(
    "peculiar",
    [
        3,
        {},
        {"head": 1},
        {"head": [], "layout": {"name": -1, "rank": 3, "gaps": [" "] * 4, "values": [1, 1], "end": "\n"}},
        {
            "head": [],
            "odd": {},
            "tail": "",
            "layout": dict.fromkeys(("name", "rank", "gaps", "values", "end")),
        },
    ],
)
def test_mmpi_with_a_layout_that_is_none(tmp_path: Path, peculiar: object) -> None:
    """It may have come from a file that somebody changed; mmpi's own layout is taken then."""
    about = {"mmpi": peculiar, "repeats": 5}
    measurement = from_matrices(["a", "b"], {64: np.full((2, 2), 1.25)}, about=about)
    mmpi.write(measurement, tmp_path / "a.log")
    assert (tmp_path / "a.log").read_text().splitlines()[4] == "a 000  b 001       2.50    2.50"


def test_our_measurement_as_a_log(tmp_path: Path, golden: Golden) -> None:
    path = tmp_path / "a.log"
    times = np.full((3, 3), 1.5)
    times[1, 2] = np.nan
    zeros = np.zeros((3, 3))
    measurement = from_matrices(
        ["n0", "n1", "evil\nname"],
        {64: times, KIB: 2 * times},
        statistics={"std": {64: zeros + 0.25, KIB: zeros}},
        repeats=9,
    )
    mmpi.write(measurement, path)
    assert path.read_text().splitlines() == [
        "# Testing Hostname: n0",
        "# Processors: 3 MsgLen 64 Repeats: 9",
        "# ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev",
        "n0 000  n0 000       0.00    0.00",
        "n0 000  n1 001       3.00    0.50",
        "n0 000  evil name 002       3.00    0.50",
        "n1 001  n1 001       0.00    0.00",
        "n1 001  evil name 002        nan    0.50",
        "evil name 002  evil name 002       0.00    0.00",
    ]
    again = detect.read(path)
    assert again.pairs.repeats.tolist() == [[9], [9], [0]]
    mmpi.write(measurement, path, force=True, size=KIB)
    assert path.read_text().splitlines()[4] == "n0 000  n1 001       6.00    0.00"
    with pytest.raises(RankwiseError) as error:
        mmpi.write(measurement, path, force=True, size=7)
    golden.says(error.value, "7 .. 64 .. 1024 .. --size")
    with pytest.raises(RankwiseError, match="already exists"):
        mmpi.write(measurement, path)


MMPI_FAULTS = [
    (lambda lines: lines[:-1], "was cut short: it ends with line 12"),
    (lambda lines: lines[:3], "was cut short: it ends with line 3"),
    (lambda lines: [*lines, "d 004  d 004  0.00 0.00"], "line 14 is .* where the end should be"),
    (lambda lines: [*lines[:8], *lines[9:], lines[8]], "line 9 is .* where ranks 1 and 2 should be"),
    (lambda lines: [*lines[:5], "a 000  a 007  1.00 1.00", *lines[6:]], "line 6 is"),
    (lambda lines: [*lines[:9], lines[9].replace("b", "x"), *lines[10:]], "line 10 is .* ranks 1 and 3"),
    (lambda lines: [*lines[:9], "b 001  d 003  1.00 fast", *lines[10:]], "line 10 is .* ranks 1 and 3"),
    (lambda lines: [*lines[:9], "", *lines[10:]], "line 10 is '' .*|line 10 is '', where ranks 1 and 3"),
    (lambda lines: [*lines[:9], "b 001  d 003  -1.00 0.00", *lines[10:]], "line 10 is .* a time should be"),
    (lambda lines: [*lines[:9], "b 001  d 003  inf 0.00", *lines[10:]], "line 10 is .* a time should be"),
    (lambda lines: [*lines[:3], "x" * 9999, *lines[4:]], "line 4 is 'x+\\.\\.\\.'"),
    (lambda lines: [lines[0], lines[1].replace("4", "1", 1), *lines[2:]], "a pair needs two processors"),
    (lambda lines: [lines[0], lines[1].replace("4", "999999999", 1), *lines[2:]], "was cut short"),
]


@pytest.mark.parametrize(("change", "message"), MMPI_FAULTS)
def test_damaged_logs(tmp_path: Path, change: Any, message: str) -> None:
    path = tmp_path / "a.log"
    path.write_text("\n".join(change(log(["a", "b", "c", "d"]).splitlines())) + "\n")
    with pytest.raises(RankwiseError, match=message) as error:
        detect.read(path)
    assert "\n" not in str(error.value)


# Output of mpiGraph.


def graph(names: list[str], send: np.ndarray, recv: np.ndarray) -> str:
    """What mpiGraph writes: progress, and two tables with tabs behind each value."""
    heads = "".join(f"{name}:{rank}\t" for rank, name in enumerate(names))
    text = f"START mpiGraph v1.5\nMsgSize\t16384\nTimes\t100\nWindow\t50\nProcs\t{len(names)}\n\n"
    text += "1 of 3 (33.3%)\nGathering results\n"
    for title, preposition, table in (("Send", "to", send), ("Recv", "from", recv)):
        text += f"\n{title} max\t{table.max():f}\n{title} avg\t{table.mean():f}\n\n{title}\t{heads}\n"
        for rank, name in enumerate(names):
            values = "".join(f"{value:0.3f}\t" for value in table[rank])
            text += f"{name}:{rank} {preposition}\t{values}\n"
    return text + "END mpiGraph\n"


NAMES = ["node0", "node0", "odd:name"]
SEND = np.array([[0, 100, 200], [300, 0, 400], [500, 600, 0.0]])
MEBIBYTE = KIB * KIB / 1e6


def test_mpigraph(tmp_path: Path) -> None:
    path = tmp_path / "mpiGraph.out"
    recv = SEND.T.copy()
    recv[2, 0] = 150  # rank 2 sees less from rank 0 than that believes to send
    path.write_text("module loaded\n" + graph(NAMES, SEND, recv))
    measurement = detect.read(path)
    assert (measurement.sizes, measurement.host_names()) == ((16384,), NAMES)
    bandwidth = measurement.matrix("bandwidth", 16384) / MEBIBYTE
    np.fill_diagonal(bandwidth, 0)
    expected = SEND.copy()
    expected[0, 2] = 150
    assert np.allclose(bandwidth, expected)
    assert np.isnan(measurement.pairs.times["mean"]).all()
    assert (measurement.about["tool"], measurement.about["mode"]) == ("mpiGraph v1.5", "loaded")
    assert measurement.pairs.repeats.tolist() == [[100]] * 3
    own.write(measurement, tmp_path / "f.json")
    again = own.read(tmp_path / "f.json")
    assert np.allclose(again.pairs.bandwidths["forward"], measurement.pairs.bandwidths["forward"])


def test_mpigraph_of_one_table(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text(graph(NAMES, SEND, SEND.T).split("\nRecv max")[0])
    assert np.isclose(detect.read(path).matrix("bandwidth", 16384)[2, 1], 600 * MEBIBYTE)


MPIGRAPH_FAULTS = [
    (lambda text: text.split("\nSend max")[0], "no table `Send` or `Recv`: the run did not end"),
    (lambda text: text.split("node0:1 to")[0], "it ends before the row `node0:1 to`"),
    (lambda text: text.replace("100.000\t", "", 1), "is not the row `node0:0 to` with 3 bandwidths"),
    (lambda text: text.replace("100.000", "fast", 1), "is not the row `node0:0 to` with 3 bandwidths"),
    (lambda text: text.replace("100.000", "-1", 1), "is not the row"),
    (lambda text: text.replace("100.000", "nan", 1), "is not the row"),
    (lambda text: text.replace("node0:1 to", "node9:1 to"), "is not the row `node0:1 to`"),
    (lambda text: text.replace("MsgSize", "Size"), "does not say MsgSize"),
    (lambda text: text.replace("Procs\t3", "Procs\t4"), "its tables are of 3 ranks, not of 4"),
    (lambda text: text.replace("Recv\tnode0:0\tnode0:1", "Recv\tx:0\tnode0:1"), "names other hosts"),
    (lambda text: text.replace("Send\tnode0:0\tnode0:1", "Send\tnode0:0\tnode0:7"), "has no heads"),
]


@pytest.mark.parametrize(("change", "message"), MPIGRAPH_FAULTS)
def test_damaged_mpigraph(tmp_path: Path, change: Any, message: str) -> None:
    path = tmp_path / "out"
    path.write_text(change(graph(NAMES, SEND, SEND.T)))
    with pytest.raises(RankwiseError, match=message) as error:
        detect.read(path)
    assert "\n" not in str(error.value)
    assert isinstance(mpigraph.is_output(path.read_text()), bool)


# Damage of any kind.


def damaged(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        kind, place = chance.randrange(5), chance.randrange(len(data) + 1)
        if kind == 0:
            del data[place:]
        elif kind == 1:
            del data[place : place + chance.randint(1, 40)]
        elif kind == 2:
            data[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        elif kind == 3:
            data[place:place] = data[place : place + chance.randint(1, 200)]
        elif place < len(data):
            data[place] ^= 1 << chance.randrange(8)
        if not data:
            break
    return bytes(data)


def test_fuzzed_files_give_one_line(tmp_path: Path) -> None:
    """Whatever is damaged: it is read, or refused with one line that names the file."""
    own.write(small(), tmp_path / "f.json")
    whole = {
        "f.json": (tmp_path / "f.json").read_bytes(),
        "f.pairs": (tmp_path / "f.pairs").read_bytes(),
        "a.log": log(["a", "b", "a", "c"]).encode(),
        "out": graph(NAMES, SEND, SEND.T).encode(),
    }
    chance = random.Random(5)
    refused = 0
    for turn in range(300):
        name = chance.choice(list(whole))
        for file, content in whole.items():
            (tmp_path / file).write_bytes(damaged(content, chance) if file == name else content)
        path = tmp_path / ("f.json" if name == "f.pairs" else name)
        try:
            measurement = detect.read(path)
        except RankwiseError as error:
            refused += 1
            assert "\n" not in str(error), turn
            assert str(tmp_path) in str(error), (turn, str(error))
        else:
            assert all(
                (values[~np.isnan(values)] >= 0).all()
                for values in (*measurement.pairs.times.values(), *measurement.pairs.bandwidths.values())
            ), turn
    assert refused > 150


def test_many_ranks(tmp_path: Path) -> None:
    count = 2048
    hosts = [f"n{rank // 32}" for rank in range(count)]
    times = (1 + np.random.default_rng(1).random((count, count))).astype(np.float32)
    measurement = from_matrices(hosts, {64: times})
    own.write(measurement, tmp_path / "f.json")
    again = own.read(tmp_path / "f.json")
    assert len(again.pairs) == count * (count - 1) // 2
    assert np.array_equal(again.pairs.times["min"], measurement.pairs.times["min"])
    assert again.host_names() == hosts
