"""A command without some of the user's own settings, as the user would write it."""

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

    What a file sets is overridden by the library's default, as the file is not to be touched.

    Args:
        theirs: the settings.
        words: of the command.
        environment: that it is started with.
        defaults: asks the library beside a launcher for its defaults.

    Raises:
        RankwiseError: one of them can't be left out by itself.
    """
    command = parse(words)
    unset, told = [], {}
    of_library: Mapping[str, str] | None = None
    for one in theirs:
        if one.is_weak:
            if of_library is None:
                of_library = defaults(command.launcher, environment)
            if one.name not in of_library:
                raise RankwiseError(f"the library's default for {one.text} is unknown")
            told[one.name] = of_library[one.name]
        elif one.where == ENVIRONMENT:
            unset.append(one.name)
        elif one.where != COMMAND_LINE:
            raise RankwiseError(f"{one.text} can't be removed separately")
    options = [one.shown for one in theirs if one.where == COMMAND_LINE]
    contexts = tuple(_context(context, options) for context in command.contexts)
    wrappers = _wrappers(command.wrappers, unset)
    changed = command._replace(contexts=contexts, wrappers=wrappers)
    there = [name for name in dict.fromkeys(unset) if name in environment]
    return (*_prefix(there, told), *changed.words)


def cures(theirs: Sequence[Assignment], words: Sequence[str]) -> list[str]:
    """Return what the user does to be rid of settings, a clause each.

    Args:
        theirs: the settings.
        words: of the command.
    """
    named = _assigned(parse(words))
    unset = [one.name for one in theirs if one.where == ENVIRONMENT and one.name not in named]
    found = [f"`unset {' '.join(dict.fromkeys(unset))}`"] if unset else []
    for one in theirs:
        if one.where == COMMAND_LINE or one.name in named:
            found.append(f"remove `{one.shown}`")
        elif one.where != ENVIRONMENT:
            found.append(f"remove `{one.shown}` from {one.where}")
    return list(dict.fromkeys(found))


def _prefix(unset: Sequence[str], told: Mapping[str, str]) -> list[str]:
    words = [word for name in unset for word in ("-u", name)]
    words += [f"{name}={value}" for name, value in told.items()]
    return ["env", *words] if words else []


def _context(context: Context, shown: Sequence[str]) -> Context:
    options = tuple(option for option in context.options if " ".join(option.words) not in shown)
    return context._replace(options=options, wrappers=_assigning_less(context.wrappers, shown))


def _wrappers(wrappers: Sequence[Wrapper], names: Sequence[str]) -> tuple[Wrapper, ...]:
    words = [word for wrapper in wrappers for word in wrapper.words if word.partition("=")[0] in names]
    return _assigning_less(wrappers, words)


def _assigning_less(wrappers: Sequence[Wrapper], words: Sequence[str]) -> tuple[Wrapper, ...]:
    """Return wrappers without assignments, and without an `env` that nothing is left of."""
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
