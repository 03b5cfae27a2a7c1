"""Imports the facts of every MPI procedure from the machine-readable MPI standard into api/procedures.json.

Run manually when the standard changes (needs `pip install pympistandard`); the result is committed:

    python api/import_standard.py LIBMPI_OF_AN_MPI_3.1_LIBRARY

The standard's data does not say in which version a procedure appeared, but the runtime must know which ones
every MPI library has (docs/explanation/how-it-works.md, "Procedures that a library may lack"): the exports of
a library of level 3.1.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).with_name("procedures.json")

# The data spells these two in LaTeX, not in C.
C_SPELLING = {"const int level, \\ldots": "const int level, ..."}


def exported(library: str) -> set[str]:
    """Names of the functions that a shared library exports."""
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1] for line in listing.splitlines()}


def is_c_procedure(facts: dict[str, Any]) -> bool:
    """Whether the row is a function of the C binding (MPI_T is a tool's interface and left alone)."""
    attributes = facts["attributes"]
    return (
        attributes["c_expressible"]
        and not attributes["callback"]
        and not attributes["predefined_function"]
        and not facts["name"].startswith("MPI_T_")
    )


def in_c(declaration: str | None) -> str:
    """The C declaration of the standard, or '' without one."""
    text = declaration or ""
    for wrong, right in C_SPELLING.items():
        text = text.replace(wrong, right)
    return re.sub(r"\s+", " ", text).strip()


def row(procedure: Any, facts: dict[str, Any], level_3_1: set[str]) -> dict[str, Any]:
    """One procedure: declarations of both C bindings, and each parameter's kind and direction."""
    return {
        "name": facts["name"],
        "everywhere": facts["name"] in level_3_1,
        "c": in_c(str(procedure.express.iso_c)),
        "large": in_c(str(procedure.express.embiggen.iso_c)) if procedure.has_embiggenment() else "",
        "parameters": [
            f"{p['name']}: {p['kind']} {p['param_direction']}"
            for p in facts["parameters"]
            if "c_parameter" not in p["suppress"]
        ],
    }


def main() -> None:
    """Writes OUTPUT, a row a line so that changes can be read."""
    import pympistandard as standard

    standard.use_api_version(1, force_bundled=True)
    data = json.loads((resources.files(standard) / "data" / "apis.json").read_text())
    level_3_1 = exported(sys.argv[1])
    rows = [
        row(standard.PROCEDURES[key], facts, level_3_1)
        for key, facts in sorted(data.items(), key=lambda item: str(item[1]["name"]))
        if is_c_procedure(facts)
    ]
    OUTPUT.write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


if __name__ == "__main__":
    main()
