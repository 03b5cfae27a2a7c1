"""The text of `--json` is that of Python's library, whatever is in it."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from rankwise.analysis.calls.totals import Totals
from rankwise.analysis.to_json import json_text, to_json
from rankwise.records import dataclass


@dataclass(frozen=True)
class _Row:
    name: str
    totals: Totals
    more: Any


@dataclass(frozen=True)
class _One:
    value: Any


_PLAIN = (0, -2, 2.5, float("nan"), None, True, "", 'a "b"\n    },\n    {', "é", "}, {")


def _anything(of: random.Random, depth: int) -> Any:
    if depth == 0 or of.random() < 0.4:
        return of.choice(_PLAIN)
    some = [_anything(of, depth - 1) for _ in range(of.randrange(4))]
    return of.choice(
        [
            some,
            tuple(some),
            dict(zip(("a", 1, None, True, 'b"c'), some, strict=False)),
            _Row("x", Totals(calls=3, seconds=0.5), some),
            _One(some),
            _One(of.choice(_PLAIN)),
        ]
    )


@pytest.mark.parametrize("seed", range(300))
def test_text_is_that_of_the_library(seed: int) -> None:
    of = random.Random(seed)
    rows: list[Any] = [_One(of.choice(_PLAIN)) for _ in range(of.randrange(3))]
    value = {"rows": rows, **{f"k{number}": _anything(of, 4) for number in range(of.randrange(5))}}
    for document in (value, _anything(of, 3)):
        assert "".join(json_text(document)) == json.dumps(to_json(document), indent=2)


def test_many_rows_are_encoded_together() -> None:
    rows = [{"rank": rank, "host": "n },\n{ 1", "none": None} for rank in range(1201)]
    pieces = list(json_text({"rows": rows, "empty": []}))
    assert "".join(pieces) == json.dumps({"rows": rows, "empty": []}, indent=2)
    assert len(pieces) < 20


def test_rows_of_which_one_has_members_or_nothing() -> None:
    for odd in ({}, {"a": [1]}, [], [1], 1, "}"):
        rows = [{"a": 1}, odd, {"a": 2}]
        assert "".join(json_text({"rows": rows})) == json.dumps({"rows": rows}, indent=2)
