"""Writes machine.json: equal parts in short form, and a line for each part that a person may look for."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.topology.machine.model import NODE, Level, Machine
from rankwise.topology.machine.network_file import plain_network
from rankwise.topology.machine.objects import Object
from rankwise.topology.machine.read import FORMAT, VERSION
from rankwise.whole_files import appearing

_LINE = 110


def check_output(path: Path, force: bool) -> None:
    """Refuse an output that exists; to be called before anything is computed."""
    if path.exists() and not force:
        raise RankwiseError(f"{path} exists; --force replaces it")


def write_machine(machine: Machine, path: Path) -> None:
    """Write the file, which appears when it is whole; RankwiseError if it can't be written."""
    with appearing(path) as (unfinished,):
        unfinished.write_text(text_of(machine), encoding="utf-8")


def text_of(machine: Machine) -> str:
    """Return the text of the file."""
    return f"{_laid_out(to_json(machine), 0)}\n"


def to_json(machine: Machine) -> dict[str, Any]:
    """Return the content of the file, as lists and dictionaries."""
    tree = _TreeWriter(machine)
    below = tree.descriptions(machine.root.children)
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "levels": [_level(level) for level in machine.levels],
        "network": plain_network(machine.network, machine.hosts()) if machine.network else {},
        "sources": [_filled(asdict(source)) for source in machine.sources],
        "outliers": [_filled(asdict(outlier)) for outlier in machine.outliers],
        "templates": tree.templates(),
        "tree": below,
    }
    return {key: value for key, value in content.items() if value not in ([], {})}


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in ("", None)}


def _level(level: Level) -> dict[str, Any]:
    described = _filled({"name": level.name, "link_mb_s": level.link_mb_s})
    cost = _filled(asdict(level.cost))
    return described | ({"cost": cost} if cost else {})


class _TreeWriter:
    """Describes objects; contents of nodes become templates."""

    def __init__(self, machine: Machine) -> None:
        self._names = machine.level_names()
        self._node = machine.depth(NODE)
        self._templates: dict[tuple[Object, ...], str] = {}
        self._by_id: dict[int, str] = {}  # nodes mostly share their children: no need to compare those

    def templates(self) -> dict[str, Any]:
        return {name: self.descriptions(children) for children, name in self._templates.items()}

    def descriptions(self, siblings: tuple[Object, ...]) -> list[dict[str, Any]]:
        """Return a description for each run of siblings that differ only in names and numbers."""
        return [self._description(list(run)) for _, run in groupby(siblings, key=_kind)]

    def _description(self, run: list[Object]) -> dict[str, Any]:
        first = run[0]
        described: dict[str, Any] = {"level": self._names[first.level]}
        names, numbers = [member.name for member in run], [member.os for member in run]
        if first.name:
            described |= {"name": names[0]} if len(run) == 1 else {"names": names}
        if first.os >= 0:
            described["os"] = numbers if len(run) > 1 else numbers[0]
        if len(run) > 1 and not first.name and first.os < 0:
            described["count"] = len(run)
        if first.link_mb_s is not None:
            described["link_mb_s"] = first.link_mb_s
        if first.children and first.level == self._node:
            described["like"] = self._template(first.children)
        elif first.children:
            described["children"] = self.descriptions(first.children)
        return described

    def _template(self, children: tuple[Object, ...]) -> str:
        name = self._by_id.get(id(children))
        if name is None:
            name = self._templates.setdefault(children, f"inside {len(self._templates)}")
            self._by_id[id(children)] = name
        return name


def _kind(member: Object) -> tuple[object, ...]:
    """Return the key that siblings must share to be described together."""
    return member.level, bool(member.name), member.os >= 0, member.link_mb_s, member.children


def _laid_out(value: Any, indent: int) -> str:
    """Return `value` as JSON: on one line if it fits there, else each part on its own line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= _LINE - indent or not isinstance(value, (dict, list)):
        return line
    blanks = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_laid_out(part, indent + 2)}" for key, part in value.items()]
        return "{\n" + ",\n".join(blanks + part for part in parts) + "\n" + " " * indent + "}"
    if all(not isinstance(part, (dict, list)) for part in value):
        rows = _filled_rows([json.dumps(part, ensure_ascii=False) for part in value], _LINE - indent - 2)
        return "[\n" + ",\n".join(blanks + row for row in rows) + "\n" + " " * indent + "]"
    parts = [_laid_out(part, indent + 2) for part in value]
    return "[\n" + ",\n".join(blanks + part for part in parts) + "\n" + " " * indent + "]"


def _filled_rows(words: list[str], width: int) -> list[str]:
    """Return the words with commas between them, as many on each row as fit."""
    rows: list[str] = []
    for word in words:
        if rows and len(rows[-1]) + len(word) + 2 <= width:
            rows[-1] += f", {word}"
        else:
            rows.append(word)
    return rows
