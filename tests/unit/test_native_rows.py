"""Rows of forwarding tables in bulk, against a regular expression."""

from __future__ import annotations

import re
from random import Random

import pytest

from rankwise.network.sources.infiniband.rows import NOWHERE, read_rows
from rankwise.network.sources.text import TextFile

CHARACTERS = [chr(code).encode("latin-1") for code in range(256) if code != ord("\n")]


def at_random(random: Random, gap: bytes) -> bytes:
    """A line that is a row, or nearly one."""
    line = b"0x%04x%s%03d " % (random.randrange(1 << 16), gap, random.randrange(300))
    if random.random() < 0.3:
        line = line.upper().replace(b"0X", b"0x")
    if random.random() < 0.2:
        line = line[:-4] + b"UNREACHABLE"
    if random.random() < 0.3:
        line += random.choice([b": (x)", b"x" * random.randrange(300), b"\xff\0"])
    if random.random() < 0.2:
        place = random.randrange(len(line))
        line = line[:place] + random.choice([b"", *CHARACTERS]) + line[place + 1 :]
    return line


@pytest.mark.parametrize("gap", [b" ", b" : "])
@pytest.mark.parametrize("seed", range(5))
def test_rows_are_those_that_a_pattern_fits(gap: bytes, seed: int) -> None:
    random = Random(seed)
    lines = [at_random(random, gap) for _ in range(2000)]
    row = re.compile(rb"0x([0-9a-fA-F]{4})" + gap + rb"(?:(\d{3}) (?s:.*)|UNREACHABLE)")
    others: list[tuple[int, bytes]] = []

    def other(number: int, line: bytes, is_cut: bool) -> None:
        assert not is_cut
        others.append((number, line))

    rows = read_rows(TextFile("tables", b"".join(line + b"\n" for line in lines)), gap, other)
    found = {
        line: (lid, port)
        for each in rows
        for line, lid, port in zip(each.lines, each.lids.tolist(), each.ports.tolist(), strict=True)
    }
    expected = {
        number: (int(match[1], 16), int(match[2]) if match[2] else NOWHERE)
        for number, line in enumerate(lines, 1)
        if (match := row.fullmatch(line))
    }
    assert found == expected
    assert others == [(number, line) for number, line in enumerate(lines, 1) if number not in expected]
    assert 500 < len(found) < 1800


def test_a_last_line_without_an_end_is_no_row() -> None:
    last: list[tuple[int, bytes, bool]] = []
    text = b"0x0001 001 \n0x0002 002 "
    [rows] = read_rows(TextFile("tables", text), b" ", lambda *line: last.append(line))
    assert rows.lids.tolist() == [1]
    assert last == [(2, b"0x0002 002 ", True)]


def test_rows_that_are_read_one_by_one_are_among_the_others() -> None:
    text = b"0x0001 001 \n 0x2 2\n0x0003 003 \n\n0x0004 300 \n" + b"0x0005 005 \n" * 70_000
    file = TextFile("tables", text)
    first, *rest = read_rows(file, b" ", lambda _, line, __: (0x1_0002, 2) if line.strip() else None)
    assert first.lines == range(1, 4)
    assert first.lids.tolist() == [1, 0x1_0002, 3]
    assert first.ports.tolist() == [1, 2, 3]
    assert sum(len(each.lids) for each in rest) == 70_001
    assert rest[0].lines[0] == 5
    assert rest[-1].lines[-1] == 70_005
    assert rest[0].ports[0] == 300
