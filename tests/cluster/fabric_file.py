"""Describes a virtual fabric as a fabric.json, which `rankwise links --fabric` reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from wiring import Cable, Tables, bytes_per_second


def write_fabric(path: Path, cables: Sequence[Cable], tables: Tables) -> None:
    """Write the cables, with their rates, and the tables that the switches have."""
    nodes = [cable.lower for cable in cables if cable.lower not in tables]
    links = [
        {
            "ends": [cable.lower, cable.lower_port, cable.upper, cable.upper_port],
            "bytes_s": bytes_per_second(cable.rate),
        }
        for cable in cables
    ]
    subnet = {
        "routing": "measured tables",
        "switches": list(tables),
        "hosts": nodes,
        "links": links,
        "tables": tables,
    }
    file = {
        "format": "rankwise-fabric",
        "version": 1,
        "sources": [{"kind": "virtual", "what": "namespaces of this machine"}],
        "subnets": [subnet],
    }
    path.write_text(json.dumps(file, indent=1))
