"""What tuning prints of numbers goes through `text.units`, so that none is printed with digits it has not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import rankwise

PACKAGE = Path(rankwise.__file__).parent
TERMINAL = PACKAGE / "render" / "terminal"
SCREENS = ("tuning", "optimization", "recheck", "guidelines", "parameters")
FOR_THE_PROBE = PACKAGE / "tuning" / "racing" / "batch.py"
NUMBER = re.compile(r"[gGeEfF%]$")


def sources() -> Iterator[Path]:
    for room in ("tuning", "optimization"):
        yield from (PACKAGE / room).rglob("*.py")
    yield from (TERMINAL / f"{name}.py" for name in SCREENS)


def written(spec: ast.expr) -> str:
    parts = spec.values if isinstance(spec, ast.JoinedStr) else []
    return "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


def formats(source: str) -> list[str]:
    """Return the formats of numbers in f-strings, with their lines."""
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FormattedValue)
        and node.format_spec is not None
        and NUMBER.search(written(node.format_spec))
    ]


def test_formats_are_seen() -> None:
    assert len(formats('f"{a:g} {b:.1f} {c:+.2e} {d:.0%}"')) == 4
    assert not formats('f"{a} {a!r} {a:>10} {a:03d} {a:,}"')


def test_numbers_go_through_one_module() -> None:
    files = {path for path in sources() if path != FOR_THE_PROBE}
    assert len(files) > 50
    by_path = {path.relative_to(PACKAGE): formats(path.read_text(encoding="utf-8")) for path in files}
    assert not {path: there for path, there in by_path.items() if there}
