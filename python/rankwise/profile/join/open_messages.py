"""Messages that only one of their two sides has asked for: sent and not received, or the other way round.

Both processes count the messages of a stream, by communicator and tag (src/runtime/streams.h): a difference
is the number of messages that were missing, or left over, when the counters were read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from rankwise.profile.collect.counters import Counters
from rankwise.profile.collect.layout import CONSTANTS
from rankwise.profile.join.communicators import FIRST, CommunicatorTable
from rankwise.profile.join.grouping import LARGEST
from rankwise.profile.join.waiting import ALL, OpenMessage

_RECEIVES, _BROKEN = CONSTANTS["STREAM_RECEIVES"], CONSTANTS["STREAM_BROKEN"]
_STREAMS_LEFT_OUT = slice(1, None)  # of `halved`: the sample of streams, not that of their messages


def open_messages(
    world: Mapping[int, Counters], communicator_table: CommunicatorTable
) -> Iterator[OpenMessage]:
    """Find the streams with different counts on the two sides, and describe the unknown part."""
    for rank, counters in world.items():
        threads = counters.threads
        if threads["halved"][:, _STREAMS_LEFT_OUT].any() or threads["lost_streams"].any():
            yield OpenMessage(rank, ALL, None, None, None, None)
            yield OpenMessage(ALL, rank, None, None, None, None)
    having = {rank: counters.streams for rank, counters in world.items() if len(counters.streams)}
    if not having:
        return
    rows = np.concatenate(list(having.values()))
    ranks = np.repeat(np.array(list(having), np.int64), [len(messages) for messages in having.values()])
    receives = (rows["flags"] & _RECEIVES) != 0
    peers = rows["peer"].astype(np.int64)
    ids = [
        communicator_table.ids_of(rank, messages["communicator"].astype(np.int64))
        for rank, messages in having.items()
    ]
    keys = np.stack(
        [
            np.where(receives, peers, ranks),
            np.where(receives, ranks, peers),
            np.concatenate(ids),
            rows["tag"].astype(np.int64),
        ],
        axis=1,
    )
    streams, which = np.unique(keys, axis=0, return_inverse=True)
    which = which.reshape(-1)
    messages = np.minimum(rows["messages"], LARGEST).astype(np.int64)
    sent, received = np.zeros(len(streams), np.int64), np.zeros(len(streams), np.int64)
    np.add.at(sent, which[~receives], messages[~receives])
    np.add.at(received, which[receives], messages[receives])
    broken = np.zeros(len(streams), bool)
    broken[which[(rows["flags"] & _BROKEN) != 0]] = True
    # (On windows these are not messages, but synchronise the epochs of processes.)
    windows = [row.id for row in communicator_table.rows if row.procedure.startswith("MPI_Win_")]
    shown = (streams[:, 2] >= FIRST) & ~np.isin(streams[:, 2], windows) & (broken | (sent != received))
    for place in np.flatnonzero(shown).tolist():
        source, destination, communicator, tag = streams[place].tolist()
        if broken[place] or source not in world or destination not in world:
            yield OpenMessage(source, destination, communicator, tag, None, None)
        else:
            counts = int(sent[place]), int(received[place])
            yield OpenMessage(source, destination, communicator, tag, *counts)
