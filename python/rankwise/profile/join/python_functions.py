"""From lines of Python to the functions that they are in, by the source."""

from __future__ import annotations

import ast
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from rankwise.profile.collect.regular_files import changed_ns, open_regular

_MOST_BYTES = 1 << 20  # which takes seconds, and hundreds of MB of memory


def functions(path: Path, lines: Sequence[int], deadline: float, before_ns: int) -> list[str | None]:
    """Find out which functions lines are in.

    Args:
        path: of the source.
        lines: from 1.
        deadline: on time.monotonic(); no source is read after it.
        before_ns: nanoseconds since 1970: a file that was changed later may not be the one that ran.

    Returns:
        for each line the function, with its classes and the functions around it (PEP 3155, without
        `<locals>`); None where it is in none, or the source can't be read.
    """
    if time.monotonic() > deadline:
        return [None] * len(lines)
    try:
        with open_regular(path, _MOST_BYTES) as file, warnings.catch_warnings():
            if changed_ns(file) > before_ns:
                return [None] * len(lines)
            warnings.simplefilter("ignore")  # the parser has some, on the program's code
            known = list(_functions(ast.parse(file.read(_MOST_BYTES)), ""))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return [None] * len(lines)
    # Those inside of others come after them.
    return [
        next((name for first, last, name in reversed(known) if first <= line <= last), None) for line in lines
    ]


def _functions(node: ast.AST, around: str) -> Iterator[tuple[int, int, str]]:
    """Yield the first and the last line of each function's body, and its name.

    Decorators, defaults and annotations belong to the enclosing scope, which evaluates them.
    """
    for child in ast.iter_child_nodes(node):
        name = around
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{around}.{child.name}" if around else child.name
            if not isinstance(child, ast.ClassDef):
                yield _first_line(child.body[0]), child.end_lineno or child.lineno, name
        yield from _functions(child, name)


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])
