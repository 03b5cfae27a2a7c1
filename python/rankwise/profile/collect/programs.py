"""Names of programs from their command lines: Python programs are named by their scripts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

_PYTHON = re.compile(r"(python|pypy)\d*(\.\d+)?")
_MODULE_OR_COMMAND = re.compile(r"-[bBdEiIOPqsSuvx]*([mc])(.*)", re.DOTALL)
_WITH_VALUE = frozenset({"-W", "-X", "-Q", "--check-hash-based-pycs", "-rc"})
_RUN_SCRIPTS = frozenset({"mpi4py", "mpi4py.run", "mpi4py.futures"})  # `python -m mpi4py script.py`
_LONGEST_NAME = 60  # characters; a file's name has 255 bytes at most


def is_python(name: str) -> bool:
    """Whether a command of this base name is a Python interpreter."""
    return _PYTHON.fullmatch(name) is not None


def without_interpreter(words: Sequence[str]) -> list[str]:
    """Return a command line from the Python script or module on; others as they are.

    >>> without_interpreter(["python3", "-u", "solver.py", "10"])
    ['solver.py', '10']
    """
    if not words or not is_python(PurePath(words[0]).name):
        return list(words)
    place = 1
    while place < len(words):
        word = words[place]
        if not word.startswith("-"):
            return list(words[place:])
        if word in _WITH_VALUE:
            place += 2
        elif match := _MODULE_OR_COMMAND.fullmatch(word):
            rest = [*([match[2]] if match[2] else []), *words[place + 1 :]]
            if match[1] == "c" or not rest:
                break
            if rest[0] not in _RUN_SCRIPTS:
                return rest
            place = len(words) - len(rest) + 1
        else:
            place += 1
    return list(words)


def program_name(words: Sequence[str]) -> str:
    """Return a program's short name, for the beginning of a file's name; it accepts any words.

    >>> program_name(["python3", "run/solver.py", "10"])
    'solver'
    """
    name = PurePath(next(iter(without_interpreter(words)), "")).name.removesuffix(".py")
    return name.lstrip("-.")[:_LONGEST_NAME] or "program"
