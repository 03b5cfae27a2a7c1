"""A command without some of the user's settings, as the user would write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rankwise.errors import RankwiseError
from rankwise.launch.commandline import CommandLine, Context, parse
from rankwise.launch.wrappers import Wrapper
from rankwise.tuning.libraries.base import COMMAND_LINE, ENVIRONMENT, Assignment

Defaults = Callable[[str, Mapping[str, str]], Mapping[str, str]]
"""See library_tools.defaults."""


def without(
    theirs: Sequence[Assignment], words: Sequence[str], environment: Mapping[str, str], defaults: Defaults
) -> tuple[str, ...]:
    """Return the words of a command without settings: `env -u NAME mpirun ...`, and no option that sets them.

    A setting in a file is overridden by the library's default, so that the file stays as it is.

    Args:
        theirs: the settings.
        words: of the command.
        environment: that it is started with.
        defaults: asks a launcher's library for its defaults.

    Raises:
        RankwiseError: a setting can't be left out alone.
    """
    command = parse(words)
    unset, overriding = [], {}
    of_library: Mapping[str, str] | None = None
    for setting in theirs:
        if setting.is_weak:
            if of_library is None:
                of_library = defaults(command.launcher, environment)
            if setting.name not in of_library:
                raise RankwiseError(f"the library's default for {setting.text} is unknown")
            overriding[setting.name] = of_library[setting.name]
        elif setting.where == ENVIRONMENT:
            unset.append(setting.name)
        elif setting.where != COMMAND_LINE:
            raise RankwiseError(f"{setting.text} can't be removed separately")
    options = [setting.shown for setting in theirs if setting.where == COMMAND_LINE]
    contexts = tuple(_context(context, options) for context in command.contexts)
    wrappers = _wrappers(command.wrappers, unset)
    changed = command._replace(contexts=contexts, wrappers=wrappers)
    there = [name for name in dict.fromkeys(unset) if name in environment]
    return (*_prefix(there, overriding), *changed.words)


def cures(theirs: Sequence[Assignment], words: Sequence[str]) -> list[str]:
    """Return how the user removes settings, a clause each.

    Args:
        theirs: the settings.
        words: of the command.
    """
    named = _assigned(parse(words))
    unset = [setting.name for setting in theirs if setting.where == ENVIRONMENT and setting.name not in named]
    clauses = [f"`unset {' '.join(dict.fromkeys(unset))}`"] if unset else []
    for setting in theirs:
        if setting.where == COMMAND_LINE or setting.name in named:
            clauses.append(f"remove `{setting.shown}`")
        elif setting.where != ENVIRONMENT:
            clauses.append(f"remove `{setting.shown}` from {setting.where}")
    return list(dict.fromkeys(clauses))


def _prefix(unset: Sequence[str], overriding: Mapping[str, str]) -> list[str]:
    words = [word for name in unset for word in ("-u", name)]
    words += [f"{name}={value}" for name, value in overriding.items()]
    return ["env", *words] if words else []


def _context(context: Context, shown: Sequence[str]) -> Context:
    options = tuple(option for option in context.options if " ".join(option.words) not in shown)
    return context._replace(options=options, wrappers=_assigning_less(context.wrappers, shown))


def _wrappers(wrappers: Sequence[Wrapper], names: Sequence[str]) -> tuple[Wrapper, ...]:
    words = [word for wrapper in wrappers for word in wrapper.words if word.partition("=")[0] in names]
    return _assigning_less(wrappers, words)


def _assigning_less(wrappers: Sequence[Wrapper], words: Sequence[str]) -> tuple[Wrapper, ...]:
    """Return wrappers without some assignments, and without an `env` that has no other words."""
    made = []
    for wrapper in wrappers:
        if wrapper.is_env:
            wrapper = wrapper._replace(words=tuple(word for word in wrapper.words if word not in words))
            if len(wrapper.words) == 1:
                continue
        made.append(wrapper)
    return tuple(made)


def _assigned(command: CommandLine) -> set[str]:
    """Return the names of variables that wrappers before the launcher set."""
    words = [word for wrapper in command.wrappers if wrapper.is_env for word in wrapper.words[1:]]
    return {word.partition("=")[0] for word in words if "=" in word}
