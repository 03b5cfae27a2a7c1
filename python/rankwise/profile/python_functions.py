"""From lines of Python to the functions that they are in, by the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

_MOST_BYTES = 16 << 20


def functions(path: Path, lines: Sequence[int]) -> list[str | None]:
    """Find out which functions lines are in.

    Args:
        path: of the source.
        lines: from 1.

    Returns:
        for each line the function, with its classes and the functions around it (PEP 3155, without
        `<locals>`); None where it is in none, or the source can't be read.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            return [None] * len(lines)
        known = list(_functions(ast.parse(path.read_bytes()), ""))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return [None] * len(lines)
    # Those inside of others come after them.
    return [
        next((name for first, last, name in reversed(known) if first <= line <= last), None) for line in lines
    ]


def _functions(node: ast.AST, around: str) -> Iterator[tuple[int, int, str]]:
    """Yield the first and the last line of each function, and its name."""
    for child in ast.iter_child_nodes(node):
        name = around
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{around}.{child.name}" if around else child.name
            if not isinstance(child, ast.ClassDef):
                yield child.lineno, child.end_lineno or child.lineno, name
        yield from _functions(child, name)
