"""Fabrics that can be generated from words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rankwise.errors import RankwiseError
from rankwise.network.fabric.model import Subnet
from rankwise.network.sources.generators.dragonfly import dragonfly
from rankwise.network.sources.generators.fat_tree import fat_tree
from rankwise.network.sources.generators.torus import torus

GENERATORS: Mapping[str, Callable[[str], Subnet]] = {
    "fattree": fat_tree,
    "dragonfly": dragonfly,
    "torus": torus,
}
"""By the word in front of the colon."""


def is_rule(text: str) -> bool:
    """Return whether this is a generator's words rather than a path."""
    return text.partition(":")[0] in GENERATORS and ":" in text


def generated(text: str) -> Subnet:
    """Generate a fabric from words such as `torus:8x8x8`; return its only subnet.

    Raises:
        RankwiseError: one line that says which words are allowed.
    """
    kind = text.partition(":")[0]
    if kind not in GENERATORS:
        raise RankwiseError(
            f"{text!r}: must begin with one of {', '.join(f'{name}:' for name in GENERATORS)}"
        )
    try:
        return GENERATORS[kind](text)
    except RankwiseError as error:
        message = str(error)
        raise RankwiseError(message if repr(text) in message else f"{text!r}: {message}") from error
