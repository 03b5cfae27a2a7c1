"""The table of MPI procedures: facts (procedures.json, extensions.json), our semantics (semantics.toml)."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent

# Kinds of parameters that tell the communicator of a call, and the methods of `call` that know it.
HANDLES = {"COMMUNICATOR in": "on", "FILE in": "on_file", "WINDOW in": "on_window"}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a C function; `const int x[]` is type `const int`, suffix `[]`."""

    type: str
    name: str
    suffix: str

    @classmethod
    def parse(cls, text: str) -> Parameter:
        """Splits `const int sendcounts[]` into its parts."""
        match = re.fullmatch(r"(.*?)(\w+)((?:\[\w*\])*)", text.strip())
        if match is None:
            raise SystemExit(f"api: can't read the parameter `{text}`")
        return cls(match[1].strip(), match[2], match[3])

    def __str__(self) -> str:
        return f"{self.type} {self.name}{self.suffix}"


@dataclass(frozen=True)
class Function:
    """One C function: a procedure's ordinary or large-count binding."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]

    @classmethod
    def parse(cls, declaration: str) -> Function:
        """Reads a declaration as the standard prints it."""
        match = re.fullmatch(r"(.*?)\s*(MPIX?_\w+)\s*\((.*)\)", declaration)
        if match is None:
            raise SystemExit(f"api: can't read the declaration `{declaration}`")
        names = [] if match[3] in ("", "void") else match[3].split(",")
        if names and names[-1].strip() == "...":
            names.pop()
        return cls(match[2], match[1], tuple(Parameter.parse(n) for n in names))


@dataclass(frozen=True)
class Procedure:
    """One MPI procedure; `rule` is its row of semantics.toml, or None if it is not recorded."""

    id: int
    name: str
    everywhere: bool  # every MPI library has it (level 3.1)
    bindings: tuple[Function, ...]
    kinds: dict[str, str]  # of the parameters, as in the standard, e.g. comm -> "COMMUNICATOR in"
    class_name: str
    rule: dict[str, Any] | None
    frequent: bool  # programs may call it a million times a second
    standard: bool  # of MPI 5.0, not removed before it or a library's own

    @property
    def letter(self) -> str:
        """Letter of a communicator's constructor, else ''."""
        return str((self.rule or {}).get("letter", ""))

    @property
    def polling(self) -> bool:
        """Whether programs repeat the call until something has happened."""
        return bool((self.rule or {}).get("polling"))

    @property
    def booked_on(self) -> str:
        """C++ statement that finds the communicator that a call is booked on, '' if none."""
        if self.rule and "communicator" in self.rule:
            expression = str(self.rule["communicator"])
            return f"call.on({expression});" if expression else ""
        objects = ((HANDLES[kind], name) for name, kind in self.kinds.items() if kind in HANDLES)
        return next((f"call.{method}({name});" for method, name in objects), "")


class Table:
    """All procedures: those of the standard in alphabetical order, then extensions; ids start at 1."""

    def __init__(self) -> None:
        standard = json.loads((HERE / "procedures.json").read_text())
        facts = [*standard, *json.loads((HERE / "extensions.json").read_text())]
        semantics = tomllib.loads((HERE / "semantics.toml").read_text())
        rules = {name: rule for rule in semantics["rule"] for name in rule["procedures"]}
        self._unrecorded = [(re.compile(u["names"]), u["class"]) for u in semantics["unrecorded"]]
        self._frequent = set(semantics["frequent"])
        self.ordered_by_hand = frozenset(semantics["ordered"]["by_hand"])
        self._as_given = frozenset(semantics["ordered"]["as_given"])
        named = rules.keys() | self._frequent | self.ordered_by_hand | self._as_given
        unknown = named - {row["name"] for row in facts}
        if unknown:
            raise SystemExit(f"api/semantics.toml: no such procedure: {', '.join(sorted(unknown))}")
        self.procedures = [
            self._procedure(i, row, rules.get(row["name"]), standard=i <= len(standard))
            for i, row in enumerate(facts, 1)
        ]

    def _procedure(
        self, number: int, row: dict[str, Any], rule: dict[str, Any] | None, *, standard: bool
    ) -> Procedure:
        name = row["name"]
        class_name = (
            rule["class"] if rule else next(c for names, c in self._unrecorded if names.fullmatch(name))
        )
        return Procedure(
            number,
            name,
            row["everywhere"],
            tuple(Function.parse(d) for d in (row["c"], row["large"]) if d),
            dict(p.split(": ", 1) for p in row["parameters"]),
            class_name,
            rule,
            name in self._frequent,
            standard,
        )

    @property
    def recorded(self) -> list[Procedure]:
        """Procedures with a rule."""
        return [p for p in self.procedures if p.rule]

    def passes_communicator(self, procedure: Procedure) -> bool:
        """Whether a new order of MPI_COMM_WORLD concerns calls of it."""
        takes = "COMMUNICATOR in" in procedure.kinds.values() and procedure.name not in self._as_given
        return takes or procedure.name in self.ordered_by_hand

    @property
    def only_ordered(self) -> list[Procedure]:
        """Procedures without a rule that a new order of MPI_COMM_WORLD concerns."""
        return [p for p in self.procedures if not p.rule and self.passes_communicator(p)]

    @cached_property
    def digest(self) -> int:
        """64 bits that change whenever an id comes to mean another procedure."""
        names = "\n".join(p.name for p in self.procedures)
        return int.from_bytes(hashlib.sha256(names.encode()).digest()[:8], "little")
