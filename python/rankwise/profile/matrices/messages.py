"""The messages between ranks, as a file of any format tells them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankwise.errors import RankwiseError
from rankwise.profile.store.database import MOST_RANKS

MOST_BYTES = 2**62
"""Between two ranks: sums of them are numbers of SQLite."""


class FormatError(Exception):
    """The file is not of this format, or damaged; the text ends a sentence about the file."""


@dataclass(frozen=True)
class Messages:
    """Messages between ranks: E entries, no pair of ranks twice, none without bytes and messages.

    Attributes:
        ranks: number of ranks.
        source, destination: shape (E,).
        bytes: shape (E,).
        counts: number of messages, shape (E,); None: the file does not tell it.
        format: in words.
        note: what a reader has to know of the format, a sentence without its full stop; ''.
    """

    ranks: int
    source: NDArray[np.int64]
    destination: NDArray[np.int64]
    bytes: NDArray[np.int64]
    counts: NDArray[np.int64] | None
    format: str
    note: str = ""


def messages_of(
    ranks: int,
    source: ArrayLike,
    destination: ArrayLike,
    sizes: ArrayLike,
    counts: ArrayLike | None,
    format_name: str,
    note: str = "",
) -> Messages:
    """Check entries, and add them up by pairs of ranks.

    Raises:
        FormatError: a number is impossible.
    """
    if not 1 <= ranks <= MOST_RANKS:
        raise FormatError(f"has {ranks} ranks, where 1 to {MOST_RANKS} can be")
    ends = np.array([source, destination], np.int64).reshape(2, -1)
    if ends.size and (ends.min() < 0 or ends.max() >= ranks):
        wrong = ends[(ends < 0) | (ends >= ranks)][0]
        raise FormatError(f"names rank {wrong}, where ranks are 0 to {ranks - 1}")
    values = [_whole(sizes)] + ([] if counts is None else [_whole(counts)])
    pair, place = np.unique(ends[0] * ranks + ends[1], return_inverse=True)
    sums = [np.zeros(len(pair), np.int64) for _ in values]
    for total, value in zip(sums, values, strict=True):
        np.add.at(total, place.reshape(-1), value)
    kept = np.any(np.array(sums) > 0, axis=0)
    return Messages(
        ranks,
        pair[kept] // ranks,
        pair[kept] % ranks,
        sums[0][kept],
        sums[1][kept] if counts is not None else None,
        format_name,
        note,
    )


def _whole(values: ArrayLike) -> NDArray[np.int64]:
    """Return numbers of bytes or messages, rounded; FormatError if one can't be such a number."""
    numbers = np.asarray(values, np.float64).reshape(-1)
    if numbers.size and not (np.isfinite(numbers).all() and numbers.min() >= 0):
        raise FormatError("has a number that is negative or infinite: sizes and counts start at 0")
    if numbers.size and numbers.sum() >= MOST_BYTES:
        raise FormatError("adds up to more than 2^62 bytes or messages")
    exact = np.asarray(values).reshape(-1)
    whole: NDArray[np.int64] = (
        exact.astype(np.int64) if exact.dtype.kind in "iu" else np.rint(numbers).astype(np.int64)
    )
    return whole


def refused(path: object, error: FormatError) -> RankwiseError:
    """Return the error as a user reads it."""
    return RankwiseError(f"{path} {error}")
