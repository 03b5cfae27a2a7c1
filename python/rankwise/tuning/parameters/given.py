"""The user's own list of parameters, their values, and constraints between them.

# a comment
btl_sm_eager_limit = 8k, 16k, 32k
OMPI_MCA_btl_tcp_eager_limit = 64k..256k *2
require btl_sm_eager_limit <= btl_sm_max_send_size
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.latency.sizes import size_of
from rankwise.tuning.libraries.base import Ask
from rankwise.tuning.parameters.constraint import Constraint, parse
from rankwise.tuning.parameters.known_names import control_of, short_prefix, wrong_name
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.parameter import Parameter

_NAME = re.compile(r"[A-Za-z_]\w*")
_RANGE = re.compile(r"(\S+?)\s*\.\.\s*(\S+)\s+([*+])\s*(\S+)")
_MOST_VALUES = 50


@dataclass(frozen=True)
class Given:
    """The contents of the file.

    Attributes:
        parameters: in its order.
        constraints: that must hold of all values together.
        lines: FILE:LINE of each parameter.
    """

    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]
    lines: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables of MPI_T whose values are needed."""
        named = [name for constraint in self.constraints for name in constraint.names]
        return tuple(
            dict.fromkeys(
                [
                    *(parameter.asked for parameter in self.parameters if parameter.asked),
                    *map(control_of_name, named),
                ]
            )
        )


def read_given(path: Path) -> Given:
    """Read the user's list.

    Raises:
        RankwiseError: it can't be read, or a line can't be parsed; the text begins with FILE:LINE.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RankwiseError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RankwiseError(f"{path} is not UTF-8 text: give lines such as NAME = 4k, 8k") from None
    given: dict[str, tuple[Parameter, str]] = {}
    constraints: list[Constraint] = []
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{path}:{number}"
        try:
            if not (stripped := line.partition("#")[0].strip()):
                continue
            if re.match(r"require\b(?!\s*=[^=])", stripped):
                constraints.append(parse(stripped.removeprefix("require"), where))
                continue
            parameter = _parameter(stripped)
            if parameter.variable in given:
                raise ValueError(f"{parameter.name} is given twice: first in {given[parameter.variable][1]}")
            given[parameter.variable] = parameter, where
        except ValueError as error:
            raise RankwiseError(f"{where}: {error}") from None
    if not given:
        raise RankwiseError(f"{path} gives no parameter: it needs a line such as NAME = 4k, 8k, 16k")
    parameters, lines = zip(*given.values(), strict=True)
    return Given(parameters, tuple(constraints), lines)


def checked(given: Given, layers: Layers, ask: Ask) -> Given:
    """Return the list with the parameters' present values, or refuse unknown parameters.

    Args:
        given: as read.
        layers: asked with the names of `given`.
        ask: for the names that the library's own tool lists.

    Raises:
        RankwiseError: a parameter is unknown, or the present value of one in a constraint.
    """
    for parameter, where in zip(given.parameters, given.lines, strict=True):
        if wrong := wrong_name(parameter.variable, layers, ask):
            raise RankwiseError(f"{where}: {wrong}")
    parameters = tuple(
        replace(parameter, present=layers.values.get(parameter.asked, "")) for parameter in given.parameters
    )
    for constraint in given.constraints:
        for name in constraint.names:
            if control_of_name(name) not in layers.values:
                if wrong := wrong_name(variable_of(name), layers, ask):
                    raise RankwiseError(f"{constraint.where}: {wrong}")
                raise RankwiseError(
                    f"{constraint.where}: the library does not report the present value of {name}, so the "
                    "requirement can't be checked: remove it"
                )
    return replace(given, parameters=parameters)


def variable_of(name: str) -> str:
    """Return the environment variable for a name, which may lack a library's prefix."""
    return name if name.isupper() or re.match("[A-Z]+_", name) else short_prefix() + name


def control_of_name(name: str) -> str:
    """Return the variable of MPI_T with the value of a parameter, by either name."""
    return control_of(variable_of(name))


def _parameter(line: str) -> Parameter:
    name, equals, listed = (part.strip() for part in line.partition("="))
    if not equals or not _NAME.fullmatch(name):
        raise ValueError(f"{line} is not a line such as NAME = 4k, 8k, or require A <= B")
    values = [value for word in listed.split(",") for value in _values(word.strip())]
    if len(values) > _MOST_VALUES:
        raise ValueError(f"{len(values)} values are too many: at most {_MOST_VALUES}")
    if twice := next((value for place, value in enumerate(values) if value in values[:place]), None):
        raise ValueError(f"the value {twice} is given twice")
    variable = variable_of(name)
    control = control_of(variable)
    return Parameter(
        name=variable.removeprefix(short_prefix()),
        variable=variable,
        values=(None, *values),
        why="given",
        shows="variable" if control else "",
        control=control,
    )


def _values(word: str) -> Sequence[str]:
    """Return the values of a word, a single value or a range; sizes in bytes."""
    if not word:
        raise ValueError("a value is missing between two commas or after the last one")
    if ".." not in word:
        return [str(size_of(word)) if re.fullmatch(r"\d+[kKmMgG]i?[bB]?", word) else word]
    match = _RANGE.fullmatch(word)
    if not match:
        raise ValueError(f"{word} is not a range such as 4k..64k *2 or 1..9 +2")
    begin, end, step = (size_of(match[place]) for place in (1, 2, 4))
    if begin > end or step < (2 if match[3] == "*" else 1) or (match[3] == "*" and begin < 1):
        raise ValueError(f"{word}: the range does not increase from its first to its last value")
    values: list[str] = []
    while begin <= end and len(values) <= _MOST_VALUES:
        values.append(str(begin))
        begin = begin * step if match[3] == "*" else begin + step
    return values
