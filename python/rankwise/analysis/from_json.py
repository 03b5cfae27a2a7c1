"""Restores data classes from the lists and dictionaries that `to_json` returns."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def from_json(kind: type[T], value: object) -> T:
    """Return an object of a data class; every member has its declared type.

    Args:
        kind: the class.
        value: the result of `to_json` for such an object, read back from JSON.

    Raises:
        ValueError: `value` is something else.
    """
    made: T = _made(kind, value)
    return made


def _made(kind: Any, value: Any) -> Any:
    if isinstance(kind, type) and is_dataclass(kind):
        return _object(kind, value)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(inner, value)
    if origin is Literal:
        return value if value in inner else _wrong(kind, value)
    if origin in (list, tuple, Sequence):
        if not isinstance(value, list):
            return _wrong(kind, value)
        members = [_made(inner[0], item) for item in value]
        return tuple(members) if origin is tuple else members
    if origin in (dict, Mapping):
        if not isinstance(value, dict):
            return _wrong(kind, value)
        return {key: _made(inner[1], item) for key, item in value.items()}
    if kind is float and type(value) is int:
        return float(value)
    return value if type(value) is kind else _wrong(kind, value)


def _object(kind: Any, value: Any) -> Any:
    types_of = _members(kind)
    if not isinstance(value, dict) or value.keys() != types_of.keys():
        return _wrong(kind, value)
    return kind(**{name: _made(item_type, value[name]) for name, item_type in types_of.items()})


def _one_of(kinds: Sequence[Any], value: Any) -> Any:
    """Return the value as the first of several types that matches."""
    for kind in kinds:
        if kind is type(value) or (kind is type(None) and value is None):
            return value
    others = [kind for kind in kinds if kind is not type(None)]
    return _made(others[0], value) if len(others) == 1 else _wrong(kinds, value)


@cache
def _members(kind: Any) -> dict[str, Any]:
    """Map the names of a class's members to their types."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _wrong(kind: Any, value: Any) -> Any:
    raise ValueError(f"{type(value).__name__} where {kind} should be")
