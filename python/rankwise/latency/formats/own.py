"""Rankwise's own files: ``F.json`` and the table ``F.pairs`` next to it (docs/reference/latency-file.md)."""

from __future__ import annotations

from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.latency.formats.header import header_text, make_header, parse_header
from rankwise.latency.formats.table import checksum, read_table, write_table
from rankwise.latency.measurement import Measurement
from rankwise.whole_files import appearing, refuse_existing

_SUFFIX = ".pairs"


def is_own(start: str) -> bool:
    """Return whether a file with this beginning is in this format, or meant to be."""
    return start.lstrip().startswith("{")


def read(path: Path) -> Measurement:
    """Read a measurement.

    Raises:
        RankwiseError: a file is missing, unreadable, damaged or in another format.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RankwiseError(f"{path}: {error.strerror or error}; give a file that can be read") from error
    except UnicodeDecodeError as error:
        raise RankwiseError(
            f"{path} is not text: give the .json file that `rankwise latency -o` wrote"
        ) from error
    header = parse_header(path, text)
    table = path.with_name(header.file)
    pairs, alone = read_table(
        table,
        header.fields,
        header.sizes,
        len(header.ranks),
        header.pairs,
        header.alone,
    )
    if header.crc32 not in (None, checksum(table)):
        raise RankwiseError(
            f"{table} belongs to another header, or was changed; copy it again with its header"
        )
    return Measurement(header.sizes, header.hosts, header.ranks, pairs, alone, header.about)


def table_path(path: Path) -> Path:
    """Return the name of the table that belongs to a header.

    Raises:
        RankwiseError: the header itself has the name of a table.
    """
    if path.suffix == _SUFFIX:
        raise RankwiseError(f"{path} is a table: give its header, such as {path.stem}.json")
    return path.with_suffix(_SUFFIX)


def write(measurement: Measurement, path: Path, force: bool = False) -> None:
    """Write a measurement; both files appear when they are whole.

    Args:
        measurement: what to write.
        path: of the header; the table is ``F.pairs`` next to it.
        force: replace existing files.

    Raises:
        RankwiseError: a file is there already, or can't be written.
    """
    table = table_path(path)
    refuse_existing(path, table, force=force)
    with appearing(table, path) as (new_table, new_header):
        write_table(new_table, measurement.sizes, (measurement.pairs, measurement.alone))
        header = make_header(measurement, table.name, checksum(new_table))
        new_header.write_text(header_text(header), encoding="utf-8")
