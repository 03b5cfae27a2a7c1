"""Reads a measurement in any known format, which it recognises by the file's content."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.latency.formats import mmpi, mpigraph, own
from rankwise.latency.measurement import Measurement

_START = 1 << 16  # bytes that tell the kind
_SQLITE = b"SQLite format 3\0"


def read(path: Path) -> Measurement:
    """Read a measurement of Rankwise, a log of mmpi, or output of mpiGraph.

    Raises:
        RankwiseError: not there, not readable, none of these, or damaged.
    """
    start = _start(path)
    text = start.decode("utf-8", "replace")
    if own.is_own(text):
        return own.read(path)
    if mmpi.is_log(text):
        return mmpi.read(path)
    if mpigraph.is_output(text):
        return mpigraph.read(path)
    if not start:
        raise RankwiseError(f"{path} is empty: give the .json file that `rankwise latency -o` wrote")
    if start.startswith(_SQLITE):
        raise RankwiseError(
            f"{path} is not a measurement of latencies; if it is a profile: rankwise show {path}"
        )
    header = path.with_suffix(".json")
    if header != path and header.is_file():
        raise RankwiseError(f"{path} is not a header of a measurement: give {header}")
    raise RankwiseError(
        f"{path} is not a measurement: give the .json file that `rankwise latency -o` wrote, a log of mmpi, "
        "or output of mpiGraph"
    )


def _start(path: Path) -> bytes:
    try:
        if path.exists() and not path.is_file():
            raise RankwiseError(f"{path} is not a file: give the .json file that `rankwise latency -o` wrote")
        with path.open("rb") as file:
            return file.read(_START)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise RankwiseError(
            f"{path}: {cause}; give the .json file that `rankwise latency -o` wrote"
        ) from error
