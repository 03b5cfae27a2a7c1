"""Reads fabric.json, which docs/reference/fabrics.md describes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankwise.errors import RankwiseError
from rankwise.network.fabric.draft import Draft, finished
from rankwise.network.fabric.model import (
    EVEN_SPLIT,
    MEASURED,
    MODELLED,
    ROUTINGS,
    Fabric,
    Routing,
    Source,
    Subnet,
)
from rankwise.network.fabric.same import guids_of
from rankwise.network.sources.fabric_json.devices import Devices
from rankwise.network.sources.fabric_json.lid_tables import MOST_PORT, table_of
from rankwise.network.sources.fabric_json.rates import UNITS, rate_from, width_from
from rankwise.network.sources.on_cables import evenly_split
from rankwise.network.sources.parts import Whole
from rankwise.network.sources.text import TextFile
from rankwise.text.units import byte_text
from rankwise.topology.machine.fields import Field
from rankwise.topology.machine.strict_json import parsed

FORMAT = "rankwise-fabric"
VERSION = 1
_KEYS = ("format", "version", "sources", "warnings", "subnets")
_SUBNET = ("name", "switches", "hosts", "links", "routing", "tables", "width", *UNITS)
_CURE = "docs/reference/fabrics.md describes a fabric.json"
_LARGEST_TABLES = 4 << 30


def is_fabric_json(head: bytes) -> bool:
    """Return whether a file that begins with `head` is a fabric.json."""
    return head.lstrip().startswith(b"{") and f'"{FORMAT}"'.encode() in head


def read_fabric_json(file: TextFile) -> Whole:
    """Return the subnets; RankwiseError names the file and the place in it."""
    fabric = fabric_of(file)
    sources = tuple(
        Source(source.kind, f"{file.path}, of {source.what}" if source.kind != "fabric.json" else source.what)
        for source in fabric.sources
    )
    return Whole(fabric.subnets, sources, fabric.warnings)


def fabric_of(file: TextFile) -> Fabric:
    """Return the fabric as it was written; RankwiseError names the file and the place in it."""
    try:
        return _fabric(Field(parsed(file.data.decode(), "fabric.json", _CURE)), file.path)
    except UnicodeDecodeError as error:
        raise RankwiseError(f"{file.path} is not a fabric.json: byte {error.start} is not UTF-8") from error
    except RankwiseError as error:
        raise RankwiseError(f"{file.path}: {error}") from error


def _fabric(top: Field, path: str) -> Fabric:
    format_field = top.keys(None, required=("format",))["format"]
    if format_field.value != FORMAT:
        raise format_field.error(f'must be "{FORMAT}"; {_CURE}')
    keys = top.keys(_KEYS, required=("version", "subnets"))
    if keys["version"].whole(1) != VERSION:
        raise keys["version"].error(f"this Rankwise reads version {VERSION}; use the one that wrote the file")
    subnets = tuple(_subnet(field) for field in keys["subnets"].items(least=1))
    _check_guids(keys["subnets"], subnets)
    sources = (Source("fabric.json", path),) * len(subnets)
    if "sources" in keys:
        sources = tuple(_source(field) for field in keys["sources"].items())
        if len(sources) != len(subnets):
            raise keys["sources"].error(f"must be {len(subnets)}, one for each of `subnets`")
    warnings = tuple(line.text() for line in keys["warnings"].items()) if "warnings" in keys else ()
    return Fabric(subnets, sources, warnings)


def _check_guids(field: Field, subnets: Sequence[Subnet]) -> None:
    """Raise RankwiseError if a GUID is in two subnets."""
    place_of: dict[int, Field] = {}
    for place, subnet in zip(field.items(), subnets, strict=True):
        guids = guids_of(subnet)
        both = guids & place_of.keys()
        if both:
            raise place.error(f"GUID 0x{min(both):016x} is in {place_of[min(both)].path}, too")
        place_of |= dict.fromkeys(guids, place)


def _source(field: Field) -> Source:
    keys = field.keys(("kind", "what"), required=("kind", "what"))
    return Source(keys["kind"].text(), keys["what"].text())


def _subnet(field: Field) -> Subnet:
    keys = field.keys(_SUBNET, required=("switches", "hosts", "links"))
    devices = Devices(keys["switches"], keys["hosts"])
    draft = Draft(
        keys["name"].text() if "name" in keys else "",
        _routing(keys, field),
        devices.switches,
        devices.ports,
    )
    default = rate_from({key: value for key, value in keys.items() if key in UNITS}, math.nan)
    _add_links(draft, keys["links"], devices, default, width_from(keys))
    devices.check_linked(keys["hosts"])
    if "tables" not in keys:
        return evenly_split(finished(draft))
    for name, table in keys["tables"].keys(None).items():
        if name not in devices.switch_of:
            raise keys["tables"].error(f"there is no switch {name!r}")
        draft.tables[devices.switch_of[name]] = table_of(table, devices.lids_of)
    _check_size(draft, keys["tables"])
    return finished(draft)


def _routing(keys: dict[str, Field], subnet: Field) -> Routing:
    if "routing" not in keys:
        if "tables" in keys:
            raise subnet.error(f"`routing` must give the origin of `tables`: {', '.join(ROUTINGS)}")
        return Routing(EVEN_SPLIT)
    field = keys["routing"]
    options = (
        {"kind": field} if isinstance(field.value, str) else field.keys(("kind", "by"), required=("kind",))
    )
    kind = options["kind"].text()
    if kind not in ROUTINGS:
        raise options["kind"].error(f"must be one of {', '.join(ROUTINGS)}")
    if kind != EVEN_SPLIT and "tables" not in keys:
        raise field.error(f'needs `tables`; "{EVEN_SPLIT}" does not')
    by = options["by"].text() if "by" in options else ""
    if by and kind == MEASURED:
        raise options["by"].error(f"{MEASURED} do not come from a rule; tables made by a rule are {MODELLED}")
    return Routing(kind, by)


def _add_links(draft: Draft, field: Field, devices: Devices, default: float, default_width: int) -> None:
    """Add all cables; those without ports take the next free ports of their switches.

    The default width is for cables with the default rate.
    """
    waiting = []
    for link in field.items():
        rate, width, count, ends = default, default_width, 1, link
        if isinstance(link.value, dict):
            keys = link.keys(("ends", "count", "width", *UNITS), required=("ends",))
            rate, ends = rate_from(keys, default), keys["ends"]
            if "width" in keys or keys.keys() & UNITS.keys():
                width = width_from(keys)
            count = keys["count"].whole(1, MOST_PORT) if "count" in keys else 1
        end_fields = ends.items()
        if len(end_fields) == 2:
            first, second = (devices.end_of(end) for end in end_fields)
            waiting += [(link, first, second, rate, width)] * count
        elif len(end_fields) == 4 and count == 1:
            first, second = (devices.end_of(end_fields[place], end_fields[place + 1]) for place in (0, 2))
            devices.connect(draft, link, first, second, rate, width)
        else:
            raise ends.error("must be two names, or of one cable two names with a port behind each")
    for link, first, second, rate, width in waiting:
        devices.connect(draft, link, first, second, rate, width)


def _check_size(draft: Draft, field: Field) -> None:
    highest = max((int(lids.max(initial=0)) for lids, _ in draft.tables.values()), default=0)
    highest = max([highest, *(port.lid + port.lid_count for port in draft.ports.values())])
    ways = max((ports.shape[1] if ports.ndim == 2 else 1 for _, ports in draft.tables.values()), default=1)
    size = len(draft.switches) * (highest + 1) * ways * np.dtype(np.uint16).itemsize
    if size > _LARGEST_TABLES:
        raise field.error(f"would take {byte_text(size)}; the maximum is {byte_text(_LARGEST_TABLES)}")
