"""Imports which procedures each MPI library has into api/libraries.json, from the libraries' symbols.

Run manually when a library of the test matrix changes; the result is committed. Each library by the name that
docs/reference/coverage.md gives it:

    python api/import_libraries.py "Open MPI 4.1=/usr/lib/x86_64-linux-gnu/libmpi.so.40" "MPICH 4.0=..." ...
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from import_standard import exported

OUTPUT = Path(__file__).with_name("libraries.json")

# C functions of MPI, but neither MPI_T (a tool's interface) nor Fortran's spellings and sentinels.
C_FUNCTION = re.compile(r"MPI_(?!T_|F08_)[A-Z][a-z0-9]\w*")
EXTENSIONS = {
    row["name"] for row in json.loads(Path(__file__).with_name("extensions.json").read_text(encoding="utf-8"))
}


def main() -> None:
    """Writes OUTPUT, a function a line so that changes can be read."""
    libraries = dict(argument.split("=", 1) for argument in sys.argv[1:])
    names = {library: exported(path) for library, path in libraries.items()}
    functions = sorted(n for n in set().union(*names.values()) if C_FUNCTION.fullmatch(n) or n in EXTENSIONS)
    rows = {f: [library for library in libraries if f in names[library]] for f in functions}
    lines = ",\n".join(f"  {json.dumps(f)}: {json.dumps(having)}" for f, having in rows.items())
    OUTPUT.write_text(
        f'{{"libraries": {json.dumps(list(libraries))},\n "functions": {{\n{lines}\n}}}}\n', encoding="utf-8"
    )


if __name__ == "__main__":
    main()
