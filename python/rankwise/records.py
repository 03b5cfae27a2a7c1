"""Data classes that are quick to define, for modules that `rankwise run` loads while its user waits.

RATIONALE: `dataclasses.dataclass(frozen=True)` compiles six methods for each class when its module is
imported, which takes Python 3.11 some 0.7 ms; `rankwise run` loads more than a hundred classes for its
summary. Here only `__init__` is compiled. That nothing assigns to frozen ones is what mypy checks.
"""

from __future__ import annotations

import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, *, frozen: bool = False, kw_only: bool = False) -> Any:
        """Make a data class, as `dataclasses.dataclass` does; only objects of the same class are equal."""
        if cls is None:
            return lambda cls: _made(cls, frozen, kw_only)
        return _made(cls, frozen, kw_only)


def _made(cls: type[Any], frozen: bool, kw_only: bool) -> type[Any]:
    own = {name for name in ("__eq__", "__hash__", "__repr__") if name in cls.__dict__}
    cls = dataclasses.dataclass(eq=False, repr=False, kw_only=kw_only)(cls)
    compared = [field.name for field in dataclasses.fields(cls) if field.compare]
    values = attrgetter(*compared) if compared else lambda _: ()

    def equal(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    methods = {
        "__eq__": equal,
        "__hash__": (lambda self: hash(values(self))) if frozen else None,
        "__repr__": _representation,
    }
    for name in methods.keys() - own:
        setattr(cls, name, methods[name])
    return cls


def _representation(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in dataclasses.fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
