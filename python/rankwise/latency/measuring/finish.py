"""Finishes the probe's output: the table, and the header with what only the launching side knows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from rankwise.errors import RankwiseError
from rankwise.latency.formats import mmpi, own
from rankwise.latency.formats.header import header_text
from rankwise.latency.formats.table import checksum
from rankwise.latency.measuring.outputs import Outputs

HEADER = "header.json"
TABLE = "pairs"


@dataclass(frozen=True)
class Made:
    """The result of a measurement.

    Attributes:
        ranks: of the job.
        pairs: that were measured.
        expected: pairs that the schedule holds.
        seconds: duration of the measurement.
        interrupted: whether it was ended early.
    """

    ranks: int
    pairs: int
    expected: int
    seconds: float
    interrupted: bool


def finish(outputs: Outputs, about: Mapping[str, object]) -> Made | None:
    """Write the header and the table, or a foreign file, under their final names.

    Args:
        outputs: where to.
        about: keys of the header that the probe does not know.

    Returns:
        what there is now; None if the probe has not left all, or has measured nothing.

    Raises:
        RankwiseError: the header is not whole.
    """
    written, table = outputs.directory / HEADER, outputs.directory / TABLE
    if not written.is_file() or not table.is_file():  # the header is the probe's last file
        return None
    try:
        header = {**about, **json.loads(written.read_text(encoding="utf-8", errors="replace"))}
    except ValueError:
        raise RankwiseError(f"{outputs.directory} has no room for the header: is the disk full?", 1) from None
    header["table"] = {
        "file": outputs.table.name if outputs.table else TABLE,
        **header["table"],
        "crc32": checksum(table),
    }
    made = Made(
        ranks=len(header["ranks"]),
        pairs=header["table"]["pairs"],
        expected=header["pairs_expected"],
        seconds=header["seconds"],
        interrupted=header["interrupted"],
    )
    if not made.pairs:
        return None
    written.write_text(header_text(header), encoding="utf-8")
    if outputs.table:
        table.replace(outputs.table)
        written.replace(outputs.path)
    else:
        mmpi.write(own.read(written), outputs.path, force=True)
    return made
