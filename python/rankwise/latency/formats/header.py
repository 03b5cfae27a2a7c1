"""The header of a measurement (docs/reference/latency-file.md): JSON from any, perhaps untrusted, source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rankwise.cpulist import cpu_list, cpu_text
from rankwise.errors import RankwiseError
from rankwise.latency.formats.table import TYPES, Field, fields_of, record_type
from rankwise.latency.measurement import Host, Measurement, Processor, Rank

FORMAT = "rankwise-latency"
VERSION = 1

# These keys are read into separate fields; all others stay as they are.
_READ = ("format", "version", "sizes", "hosts", "ranks", "table")
_TEXTS = ("rankwise_version", "date", "mpi", "mode")
_NUMBERS = ("repeats", "seed", "rounds", "rounds_done", "pairs_expected")
_SWITCHES = ("interrupted", "oversubscribed", "exact_repeats")


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a header says.

    Attributes:
        sizes, hosts, ranks, about: as in Measurement.
        file: name of the table, in the same directory.
        pairs, alone: numbers of its records.
        fields: of a record.
        crc32: of the table; None in files that do not tell.
    """

    sizes: tuple[int, ...]
    hosts: tuple[Host, ...]
    ranks: tuple[Rank, ...]
    about: Mapping[str, object]
    file: str
    pairs: int
    alone: int
    fields: tuple[Field, ...]
    crc32: int | None


def parse_header(path: Path, text: str) -> Header:
    """Return what the text of a header says.

    Args:
        path: that it came from, for messages.
        text: of the file.

    Raises:
        RankwiseError: no JSON, another format, a newer version, or a value that can't be.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        cause = getattr(error, "msg", "nested too deep")
        line = getattr(error, "lineno", 0)
        raise RankwiseError(
            f"{path} is not JSON ({cause}, line {line}): give the .json file that `rankwise latency -o` wrote"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RankwiseError(
            f"{path} is not a measurement of latencies: give the .json file that `rankwise latency -o` wrote"
        )
    if isinstance(content.get("version"), int) and content["version"] > VERSION:
        raise RankwiseError(
            f"{path} is of a newer Rankwise (version {content['version']} of the format, {VERSION} is known):"
            " update Rankwise"
        )
    try:
        return _header(content)
    except _WrongError as error:
        raise RankwiseError(f"{path} is damaged: {error}; copy it again, or measure again") from None


def make_header(measurement: Measurement, file: str, crc32: int) -> dict[str, object]:
    """Return the header of a measurement whose table is in `file`, with that checksum, ready for JSON."""
    sizes = measurement.sizes
    return {
        "format": FORMAT,
        "version": VERSION,
        **{key: value for key, value in measurement.about.items() if key not in _READ},
        "sizes": list(sizes),
        "hosts": [
            {"name": host.name, "processors": [asdict(processor) for processor in host.processors]}
            for host in measurement.hosts
        ],
        "ranks": [
            {"host": rank.host, "cpus": cpu_text(rank.cpus), "cpu": rank.cpu} for rank in measurement.ranks
        ],
        "table": {
            "file": file,
            "pairs": len(measurement.pairs),
            "alone": len(measurement.alone),
            "crc32": crc32,
            "record_bytes": record_type(fields_of(sizes)).itemsize,
            "fields": [list(field) for field in fields_of(sizes)],
        },
    }


def header_text(header: Mapping[str, object]) -> str:
    """Return a header as JSON: a key a line, and of hosts and ranks one a line."""
    lines = (f" {json.dumps(key)}: {_value_text(value)}" for key, value in header.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value_text(value: object) -> str:
    if isinstance(value, list) and any(isinstance(element, dict) for element in value):
        return "[\n" + ",\n".join(f"  {json.dumps(element)}" for element in value) + "\n ]"
    return json.dumps(value)


class _WrongError(Exception):
    """Describes an error, without the name of the file."""


def _header(content: dict[str, Any]) -> Header:
    if content.get("version") != VERSION or isinstance(content["version"], bool):
        raise _WrongError(f"`version` is {_shown(content.get('version'))}")
    sizes = tuple(_number(size, "a size") for size in _list(content, "sizes"))
    if len(set(sizes)) != len(sizes) or not sizes:
        raise _WrongError(f"`sizes` is {_shown(content['sizes'])}")
    hosts = tuple(_host(host, place) for place, host in enumerate(_list(content, "hosts")))
    if len({host.name for host in hosts}) != len(hosts):
        raise _WrongError("`hosts` holds one host twice")
    ranks = tuple(_rank(rank, place, len(hosts)) for place, rank in enumerate(_list(content, "ranks")))
    if len(ranks) < 2:
        raise _WrongError(f"`ranks` holds {len(ranks)}, and a pair needs two")
    table = _dict(content.get("table"), "`table`")
    file, pairs, alone, fields = _table(table, sizes)
    crc32 = _number(table["crc32"], "`crc32`") if "crc32" in table else None
    about = {key: value for key, value in content.items() if key not in _READ}
    _check_about(about)
    return Header(
        sizes=sizes,
        hosts=hosts,
        ranks=ranks,
        about=about,
        file=file,
        pairs=pairs,
        alone=alone,
        fields=fields,
        crc32=crc32,
    )


def _host(content: object, place: int) -> Host:
    host = _dict(content, f"host {place}")
    name = host.get("name")
    if not isinstance(name, str) or not name:
        raise _WrongError(f"host {place} has no name")
    processors = [
        _dict(processor, f"a processor of host {place}") for processor in _list(host, "processors", [])
    ]
    return Host(name, tuple(_processor(processor, place) for processor in processors))


def _processor(content: dict[str, Any], place: int) -> Processor:
    what = f"a processor of host {place}"
    names = ("core", "package", "numa", "l3")
    others = {name: _number(content.get(name, -1), what, least=-1) for name in names}
    return Processor(os=_number(content.get("os"), what), **others)


def _rank(content: object, place: int, hosts: int) -> Rank:
    rank = _dict(content, f"rank {place}")
    host = _number(rank.get("host"), f"`host` of rank {place}")
    if host >= hosts:
        raise _WrongError(f"rank {place} is on host {host} of {hosts}")
    cpus = rank.get("cpus", "")
    try:
        allowed = cpu_list(cpus if isinstance(cpus, str) else "?")
    except ValueError:
        raise _WrongError(f"`cpus` of rank {place} is {_shown(cpus)}") from None
    return Rank(host, allowed, _number(rank.get("cpu", -1), f"`cpu` of rank {place}", least=-1))


def _table(table: dict[str, Any], sizes: Sequence[int]) -> tuple[str, int, int, tuple[Field, ...]]:
    file = table.get("file")
    # Only next to the header: a header from an untrusted source must not name any of our files.
    if not isinstance(file, str) or file in ("", ".", "..") or "/" in file or "\0" in file:
        raise _WrongError(f"the name of its table is {_shown(file)}")
    fields = tuple(_field(field) for field in _list(table, "fields"))
    known = {(name, size) for name, size, _ in fields_of(sizes)}
    given = [(name, size) for name, size, _ in fields]
    unknown = [field for field in given if field not in known]
    if unknown:
        raise _WrongError(f"the field {_shown(list(unknown[0]))} is unknown")
    if len(given) != len(known) or len(set(given)) != len(known):
        absent = sorted(known - set(given), key=str)
        which = f"the field {_shown(list(absent[0]))} is missing" if absent else "a field is given twice"
        raise _WrongError(which)
    if table.get("record_bytes") != record_type(fields).itemsize:
        raise _WrongError(f"`record_bytes` is {_shown(table.get('record_bytes'))}, against its fields")
    return file, _number(table.get("pairs"), "`pairs`"), _number(table.get("alone", 0), "`alone`"), fields


def _field(content: object) -> Field:
    if isinstance(content, list) and len(content) == 3:
        name, size, kind = content
        plain = isinstance(size, int) and not isinstance(size, bool)
        if isinstance(name, str) and (size is None or plain) and kind in TYPES:
            return name, size, kind
    raise _WrongError(f"{_shown(content)} is not a field")


def _check_about(about: Mapping[str, object]) -> None:
    for key, value in about.items():
        number = isinstance(value, int) and not isinstance(value, bool)
        wrong = (
            (key in _TEXTS and not isinstance(value, str))
            or (key in _NUMBERS and not number)
            or (key in _SWITCHES and not isinstance(value, bool))
            or (key == "seconds" and not (number or isinstance(value, float)))
            or (key == "command" and not _is_command(value))
        )
        if wrong:
            raise _WrongError(f"`{key}` is {_shown(value)}")


def _is_command(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def _list(content: Mapping[str, Any], key: str, default: list[Any] | None = None) -> list[Any]:
    value = content.get(key, default)
    if not isinstance(value, list):
        raise _WrongError(f"`{key}` is {_shown(value)}")
    return value


def _dict(content: object, what: str) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise _WrongError(f"{what} is {_shown(content)}")
    return content


def _number(value: object, what: str, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 1 << 62:
        raise _WrongError(f"{what} is {_shown(value)}")
    return value


def _shown(value: object) -> str:
    """Return a value for a message: short, and on one line."""
    if value is None:
        return "missing"
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
