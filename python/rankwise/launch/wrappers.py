"""Programs that start another program: `env A=b`, `timeout 60`, `numactl -m 0`, `apptainer exec IMAGE` ..."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from rankwise.launch.containers import recognise


class _Syntax(NamedTuple):
    values: str = ""  # options, separated by blanks, that take the next word as value
    positional: int = 0  # words after the options that belong to the wrapper


_SYNTAX = {
    "chrt": _Syntax("-T -P -D --sched-runtime --sched-period --sched-deadline", 1),
    "env": _Syntax("-u --unset -C --chdir"),
    "ionice": _Syntax("-c -n --class --classdata"),
    "nice": _Syntax("-n --adjustment"),
    "nohup": _Syntax(),
    "numactl": _Syntax("-i --interleave -m --membind -p --preferred -P -N --cpunodebind -C --physcpubind -w"),
    "setsid": _Syntax(),
    "stdbuf": _Syntax("-i --input -o --output -e --error"),
    "taskset": _Syntax("", 1),
    "time": _Syntax("-f --format -o --output"),
    "timeout": _Syntax("-k --kill-after -s --signal", 1),
}


class Wrapper(NamedTuple):
    """One wrapper with its own words; for `env` it knows what becomes of the environment."""

    words: tuple[str, ...]

    @property
    def is_env(self) -> bool:
        """Whether it can change the environment."""
        return PurePath(self.words[0]).name == "env"

    def _removes(self, name: str) -> bool:
        if {"-", "-i", "--ignore-environment"} & set(self.words):
            return True
        pairs = zip(self.words, self.words[1:], strict=False)
        return ("-u", name) in pairs or f"-u{name}" in self.words or f"--unset={name}" in self.words

    def environment(self, before: Mapping[str, str]) -> dict[str, str]:
        """Return what `env` makes of these variables."""
        if not self.is_env:
            return dict(before)
        after = {name: value for name, value in before.items() if not self._removes(name)}
        return after | dict(_assignment(word) for word in self.words[1:] if _is_assignment(word))

    def assigning(self, variables: Mapping[str, str]) -> Wrapper:
        """Let the same `env` set these too; the last assignment of a name counts."""
        return self._replace(words=(*self.words, *(f"{name}={value}" for name, value in variables.items())))


def _is_assignment(word: str) -> bool:
    return "=" in word and not word.startswith("-")


def _assignment(word: str) -> tuple[str, str]:
    name, _, value = word.partition("=")
    return name, value


def strip(words: Sequence[str]) -> tuple[tuple[Wrapper, ...], tuple[str, ...]]:
    """Take the known wrappers off the front.

    What a container tool starts is left to it where the image decides what that is.

    Returns:
        the wrappers, and the words of what they start.
    """
    wrappers: list[Wrapper] = []
    rest = tuple(words)
    while end := _own_words(rest):
        if end >= len(rest):
            break  # wraps nothing: it is the program itself
        wrappers.append(Wrapper(rest[:end]))
        rest = rest[end:]
    return tuple(wrappers), rest


def _own_words(words: tuple[str, ...]) -> int:
    """Number of words that belong to the wrapper in front; 0 without one."""
    if container := recognise(words):
        # Options behind the image go to the program that it names itself.
        end = len(container.words)
        return 0 if words[end : end + 1] and words[end].startswith("-") else end
    syntax = _SYNTAX.get(PurePath(words[0]).name) if words else None
    return _end(words, syntax) if syntax else 0


def _end(words: tuple[str, ...], syntax: _Syntax) -> int:
    """Index of the first word that is not the wrapper's own."""
    with_value = syntax.values.split()
    end = 1
    while end < len(words) and words[end].startswith("-"):
        end += 2 if words[end] in with_value else 1
        if words[end - 1] == "--":
            break
    end += syntax.positional
    if PurePath(words[0]).name == "env":
        while end < len(words) and _is_assignment(words[end]):
            end += 1
    return end


def behind(wrappers: Sequence[Wrapper], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that reaches what the wrappers start."""
    for wrapper in wrappers:
        environment = wrapper.environment(environment)
    return dict(environment)


def carry(wrappers: Sequence[Wrapper], variables: Mapping[str, str]) -> tuple[Wrapper, ...]:
    """Let variables pass the wrappers that would replace or remove one of them."""
    return tuple(
        wrapper
        if variables.items() <= wrapper.environment(variables).items()
        else wrapper.assigning(variables)
        for wrapper in wrappers
    )
