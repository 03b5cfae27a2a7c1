"""Unambiguous JSON: no key twice in an object, no NaN, no half characters."""

from __future__ import annotations

import json
from typing import Any

from rankwise.errors import RankwiseError

_MOST_DIGITS = 400


def parsed(text: str, name: str, cure: str) -> object:
    """Return the content of a JSON text.

    Args:
        text: the text.
        name: of the kind of file, such as machine.json, for error messages.
        cure: how to make such a file; it ends each error message.

    Raises:
        RankwiseError: it is no JSON, or ambiguous; one line, without the name of the file.
    """
    try:
        content: object = json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_integer
        )
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()
        return content
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}; {cure}"
        raise RankwiseError(message) from error
    except RecursionError as error:
        raise RankwiseError(f"is not a {name}: it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise RankwiseError(f"is not JSON: half of a surrogate pair; {cure}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RankwiseError(f"the key {twice!r} is given twice in one object")
    return content


def _integer(digits: str) -> int:
    return int(digits[:_MOST_DIGITS])  # int() takes no more than some thousands; this is too large anywhere


def _no_constant(word: str) -> float:
    raise RankwiseError(f"{word} is not a JSON number")
