"""Messages that only one of their two sides has asked for: streams made up, so that it is known which."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from rankwise.profile.collect import layout
from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.communicators import FIRST, CommunicatorTable
from rankwise.profile.join.open_messages import open_messages
from rankwise.profile.join.waiting import ALL, OpenMessage

W, WINDOW = FIRST, FIRST + 1
RECEIVES, BROKEN = CONSTANTS["STREAM_RECEIVES"], CONSTANTS["STREAM_BROKEN"]

Stream = tuple[int, int, int, int]  # peer, tag, messages, flags


def process(*streams: Stream, on: int = W, halved: Sequence[int] = (0, 0, 0), lost: bool = False) -> Counters:
    rows = np.zeros(len(streams), layout.STREAM)
    for row, (peer, tag, messages, flags) in zip(rows, streams, strict=True):
        row["peer"], row["tag"], row["messages"], row["flags"], row["communicator"] = (
            peer,
            tag,
            messages,
            flags,
            on,
        )
    threads = np.zeros(1, layout.THREAD)
    threads["halved"] = halved
    threads["lost_streams"] = lost
    return cast("Counters", SimpleNamespace(streams=rows, threads=threads))


def open_between(*world: Counters) -> list[OpenMessage]:
    def ids_of(_rank: int, indices: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return indices

    rows = (
        SimpleNamespace(id=W, procedure=""),
        SimpleNamespace(id=WINDOW, procedure="MPI_Win_create"),
    )
    joined = cast("CommunicatorTable", SimpleNamespace(ids_of=ids_of, rows=rows))
    return list(open_messages(dict(enumerate(world)), joined))


def test_what_both_have_counted_is_not_open() -> None:
    assert open_between(process((1, 5, 7, 0)), process((0, 5, 7, RECEIVES))) == []
    assert open_between(process(), process()) == []


def test_more_were_sent_or_more_are_waited_for() -> None:
    sends, receives = process((1, 5, 7, 0), (1, 8, 1, 0)), process((0, 5, 9, RECEIVES), (0, 6, 2, RECEIVES))
    assert open_between(sends, receives) == [
        OpenMessage(0, 1, W, 5, 7, 9),
        OpenMessage(0, 1, W, 6, 0, 2),
        OpenMessage(0, 1, W, 8, 1, 0),
    ]


def test_what_processes_tell_each_other_of_epochs_is_no_message() -> None:
    assert open_between(process((1, 0, 7, 0), on=WINDOW), process((0, 0, 6, RECEIVES), on=WINDOW)) == []


def test_threads_count_together() -> None:
    assert open_between(process((1, 5, 3, 0), (1, 5, 4, 0)), process((0, 5, 7, RECEIVES))) == []


def test_what_may_be_cancelled_is_not_known() -> None:
    sends = process((1, 5, 7, BROKEN))
    assert open_between(sends, process((0, 5, 7, RECEIVES))) == [OpenMessage(0, 1, W, 5, None, None)]


def test_a_side_without_counters_is_not_known() -> None:
    assert open_between(process((3, 5, 7, 0))) == [OpenMessage(0, 3, W, 5, None, None)]


def test_streams_that_were_left_out_are_not_known() -> None:
    of_numbers = process((1, 5, 7, 0), halved=(3, 0, 0))
    assert open_between(of_numbers, process((0, 5, 7, RECEIVES))) == []
    for own in (process(halved=(0, 1, 0)), process(halved=(0, 0, 1)), process(lost=True)):
        assert open_between(own, process()) == [
            OpenMessage(0, ALL, None, None, None, None),
            OpenMessage(ALL, 0, None, None, None, None),
        ]


def test_communicators_that_are_none_in_particular_say_nothing() -> None:
    assert open_between(process((1, 5, 7, 0), on=W - 1), process()) == []
