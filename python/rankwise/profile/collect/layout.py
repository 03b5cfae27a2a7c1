"""The layout of the counters file, taken from the header that the runtime itself compiles.

Nothing of the layout is written a second time: structs become numpy dtypes, enumerators become numbers.
`make generate` parses the header, because that takes longer than to read the counters of a small job.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from rankwise.profile.collect import format_declarations
from rankwise.profile.collect.format_declarations import ffi


def _dtype(ctype: Any) -> np.dtype[Any]:
    """Translate a C type into the numpy dtype with the same bytes."""
    if ctype.kind == "struct":
        return np.dtype(
            {
                "names": [name for name, _ in ctype.fields],
                "formats": [_dtype(field.type) for _, field in ctype.fields],
                "offsets": [field.offset for _, field in ctype.fields],
                "itemsize": ffi.sizeof(ctype),
            }
        )
    if ctype.kind == "array":
        if ctype.item.cname == "char":
            return np.dtype((np.bytes_, ctype.length))
        return np.dtype((_dtype(ctype.item), (ctype.length,)))
    if ctype.cname == "char":
        return np.dtype((np.bytes_, 1))
    if ctype.cname == "double":
        return np.dtype(np.float64)
    return np.dtype(f"{'u' if ctype.cname.startswith('uint') else 'i'}{ffi.sizeof(ctype)}")


def _enumerators(enum: str) -> dict[str, int]:
    """Map names to numbers for an enum."""
    return dict(ffi.typeof(f"enum {enum}").relements)


_PREFIX = "rankwise_"

STRUCTS: Mapping[str, np.dtype[Any]] = {
    name.removeprefix(_PREFIX): _dtype(ffi.typeof(f"struct {name}")) for name in ffi.list_types()[1]
}
"""Every struct by its name without ``rankwise_``: numpy dtype with the compiler's offsets and size."""

ENUMS: Mapping[str, Mapping[str, int]] = {
    name.removeprefix(_PREFIX): _enumerators(name) for name in format_declarations.ENUMS
}
"""Every enum by its name without ``rankwise_``: enumerator to number."""

CONSTANTS: Mapping[str, int] = {
    name.removeprefix("RANKWISE_"): number for enum in ENUMS.values() for name, number in enum.items()
}
"""Every enumerator by its name without ``RANKWISE_``."""

HEADER = STRUCTS["header"]
SECTION = STRUCTS["section"]
THREAD = STRUCTS["thread"]
COMMUNICATOR = STRUCTS["communicator"]
REGION = STRUCTS["region"]
CALLS = STRUCTS["calls"]
MESSAGES = STRUCTS["messages"]
FILE = STRUCTS["file"]
ACCESSES = STRUCTS["accesses"]
ENDPOINT = STRUCTS["endpoint"]
ARRIVAL_TABLE = STRUCTS["arrival_table"]
ARRIVAL = STRUCTS["arrival"]
NEIGHBOUR = STRUCTS["neighbour"]
IMPORT = STRUCTS["import"]
OBJECT = STRUCTS["object"]
SITE = STRUCTS["site"]
PATH = STRUCTS["path"]
PATTERN = STRUCTS["pattern"]
PATTERN_ROW = STRUCTS["pattern_row"]
STREAM = STRUCTS["stream"]
SIDE = STRUCTS["side"]
INTERVAL = STRUCTS["interval"]
TIME_LINE = STRUCTS["time_line"]
SYSTEM_COUNTERS = STRUCTS["system_counters"]
PROCESSOR = STRUCTS["processor"]
DEVICE = STRUCTS["device"]
KERNEL = STRUCTS["kernel"]
ADAPTER_PORT = STRUCTS["adapter_port"]
RAIL_CHOICE = STRUCTS["rail_choice"]
TASK = STRUCTS["task"]
NODE_HEADER = STRUCTS["node_header"]
NODE_ENTRY = STRUCTS["node_entry"]
NETWORK_PORT = STRUCTS["network_port"]

MAGIC = b"RANKWISE"
NODE_MAGIC = b"RANKNODE"
CONTROL_MAGIC = b"RANKCTRL"


@cache
def names_of(enum: str) -> dict[int, str]:
    """Map number to name for one enum: lower case, without the prefix that its enumerators share.

    Args:
        enum: without ``rankwise_``, e.g. ``state``.
    """
    # All names share the prefix of the first and the last in alphabetical order.
    prefix = os.path.commonprefix([min(ENUMS[enum]), max(ENUMS[enum])])  # noqa: RUF071 - no paths
    start = prefix.rfind("_") + 1
    return {number: name[start:].lower() for name, number in ENUMS[enum].items()}
