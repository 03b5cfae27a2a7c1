"""Short names of C++ functions: without parameters and return type."""

from __future__ import annotations

import re

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ANONYMOUS = "(anonymous namespace)"
_OPERATOR = re.compile(
    r"(?<![\w$])operator"
    r"(?:\(\)|\[\]|<=>|<<=|>>=|->\*|<<|>>|->|&&|\|\||\+\+|--|[-+*/%^&|<>=!]=|[-+*/%^&|~!=<>,]"
    r'| (?:new|delete)(?:\[\])?(?![\w$])| co_await(?![\w$])|""\s*[\w$]+)'
)
_CONVERSION = re.compile(r"(?<![\w$])operator (?=[\w$(:])")
# What may follow the parameters.
_QUALIFIERS = re.compile(r"(?: const| volatile| &&?| noexcept(?:\([^()]*\))?| ?\[[^\[\]]*\]| requires .*)*")


class _UnclearError(Exception):
    """The name is not built as names of functions are."""


def short_name(name: str) -> str:
    """Shorten a demangled name to its scopes and its own name: `f<int>` of `void f<int>(int) [clone .cold]`.

    The functions that a local class, or an unnamed function, is in keep their names and lose their
    parameters as well; an unnamed function is called `{lambda(int)#1}`, without its operator. Names that
    are not built like those of functions remain unchanged.
    """
    try:
        scopes = _scopes(name)
    except _UnclearError:
        return name
    kept = [
        scope
        for before, scope in zip(["", *scopes], scopes, strict=False)
        if scope != "operator()" or not before.startswith("{lambda")
    ]
    return "::".join(kept)


def _scopes(name: str) -> list[str]:
    """Return the parts of the name between its `::`.

    Raises:
        _UnclearError: it has no parameters at its end, or brackets are missing.
    """
    scopes: list[str] = []
    current, place = "", 0
    while place < len(name):
        operator, conversion = _OPERATOR.match(name, place), _CONVERSION.match(name, place)
        if operator:
            end = operator.end()
            if name.startswith(" <", end):  # the demangler sets operator< apart from its template's arguments
                end = _closed(name, end + 1)
        elif conversion:
            end = _parameters(name, conversion.end())
        elif name.startswith("::", place):
            scopes.append(current)
            current, place = "", place + 2
            continue
        elif name[place] == " ":  # all before is the type that is returned, or "virtual thunk to"
            scopes, current, place = [], "", place + 1
            continue
        elif name.startswith(_ANONYMOUS, place):
            end = place + len(_ANONYMOUS)
        elif name[place] == "(" and current not in ("", "decltype"):
            place = _qualified(name, _closed(name, place))
            if place == len(name):
                return [*scopes, current]
            if not name.startswith("::", place):
                raise _UnclearError
            continue
        elif name[place] == "(":
            end = _closed(name, place)  # after `decltype`
            if name.startswith("(", end):  # a function that returns a pointer to one
                raise _UnclearError
        elif name[place] in _CLOSING:
            end = _closed(name, place)
        elif name[place] in _CLOSING.values():
            raise _UnclearError
        else:
            end = place + 1
        current += name[place:end]
        place = end
    raise _UnclearError


def _parameters(name: str, place: int) -> int:
    """Return where the parameters of an operator that converts begin, which follow a type."""
    while place < len(name):
        if name[place] == "(":
            after = _qualified(name, _closed(name, place))
            if after == len(name) or name.startswith("::", after):
                return place
        place = _closed(name, place) if name[place] in _CLOSING else place + 1
    raise _UnclearError


def _qualified(name: str, place: int) -> int:
    match = _QUALIFIERS.match(name, place)
    return match.end() if match else place


def _closed(name: str, place: int) -> int:
    """Return the place after the bracket that closes the one at `place`."""
    open_ones: list[str] = []
    while place < len(name):
        character = name[place]
        in_template = bool(open_ones) and open_ones[-1] == ">"
        operator = _OPERATOR.match(name, place)
        if operator:
            place = operator.end()
            continue
        if character in "([{" or (character == "<" and (in_template or not open_ones)):
            open_ones.append(_CLOSING[character])
        elif character in ")]}" or (character == ">" and in_template and name[place - 1] != "-"):
            if not open_ones or open_ones.pop() != character:
                raise _UnclearError
            if not open_ones:
                return place + 1
        place += 1
    raise _UnclearError
