"""The extent and the method of a measurement."""

from __future__ import annotations

import random
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.latency.sizes import size_of

MODES = ("quiet", "loaded", "leaders", "sample", "serial")
_LARGEST = 1 << 30  # bytes
_MOST_SIZES = 64
MOST_REPEATS = 1_000_000
MOST_RANKS = 2000
"""Beyond, all pairs would open so many connections that one rank a node has to do."""


@dataclass(frozen=True)
class Settings:
    """The arguments of the probe.

    Attributes:
        mode: one of MODES, '' = as the number of ranks suggests.
        sizes: of messages, in bytes.
        repeats: round trips of a pair and size, at most.
        seed: of the random order of rounds.
        exact: no fewer repeats, either.
    """

    mode: str
    sizes: tuple[int, ...]
    repeats: int
    seed: int
    exact: bool = False

    def words(self, ranks: int | None) -> list[str]:
        """Return the words that follow the probe's directory.

        Args:
            ranks: of the launch; None if it does not say.
        """
        sizes = ",".join(str(size) for size in self.sizes)
        repeats = f"={self.repeats}" if self.exact else str(self.repeats)
        return [self.mode or default_mode(ranks), sizes, repeats, str(self.seed)]


def default_mode(ranks: int | None) -> str:
    """Return the mode for a number of ranks; None = unknown."""
    return "leaders" if ranks and ranks > MOST_RANKS else "quiet"


def settings(
    mode: str, sizes_text: str, repeats: int, seed: int | None, *, single: bool, exact: bool = False
) -> Settings:
    """Check what the user has asked for.

    Args:
        mode: one of MODES, or ''.
        sizes_text: such as `64,1M`.
        repeats: round trips, at most.
        seed: None = any.
        single: whether the file can only hold one size, the first, and one number of repeats for all pairs.
        exact: no fewer repeats, either.

    Raises:
        RankwiseError: a value is out of range.
    """
    if not 1 <= repeats <= MOST_REPEATS:
        raise RankwiseError(f"--repeats {repeats}: give a number from 1 to {MOST_REPEATS}")
    sizes = parse_sizes(sizes_text)
    chosen = random.SystemRandom().getrandbits(32) if seed is None else seed
    return Settings(mode, sizes[:1] if single else sizes, repeats, chosen, exact or single)


def parse_sizes(text: str) -> tuple[int, ...]:
    """Return the sizes of a list such as `64,4k,1MiB`, in bytes.

    Raises:
        RankwiseError: one is no size, is given twice, or is above 1 GiB, or there are too many.
    """
    sizes: list[int] = []
    for word in text.split(","):
        try:
            size = size_of(word)
        except ValueError as error:
            raise RankwiseError(f"--sizes {text}: {error}") from None
        if size > _LARGEST:
            raise RankwiseError(f"--sizes {text}: {word} is too large; at most 1G")
        if size in sizes:
            raise RankwiseError(f"--sizes {text}: {word} is given twice; leave one out")
        sizes.append(size)
    if len(sizes) > _MOST_SIZES:
        raise RankwiseError(f"--sizes: {len(sizes)} are too many; at most {_MOST_SIZES}")
    return tuple(sizes)
