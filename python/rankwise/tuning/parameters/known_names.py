"""Which parameters the user's MPI library has, and what a name that it doesn't have may be meant for."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from rankwise.tuning.libraries import libraries
from rankwise.tuning.libraries.base import Ask, TunableLibrary
from rankwise.tuning.library_tools import printed
from rankwise.tuning.parameters.layers import Layers


def control_of(variable: str) -> str:
    """Return the variable of MPI_T that tells the value of one of the environment; '' if there is none."""
    return next((found for one in libraries() if (found := one.control_of(variable))), "")


def short_prefix() -> str:
    """Return the prefix of variables that users may leave out."""
    return next((one.short for one in libraries() if one.short), "")


def tool_names(launcher: str, environment: Mapping[str, str]) -> Ask:
    """Return what asks the library's own tool beside the launcher for all names of a prefix.

    MPI_T does not list what belongs to components that are not in use, nor all of Intel MPI's.

    Args:
        launcher: its command.
        environment: that it is started with.
    """
    tools = {prefix: tool for one in libraries() for prefix, tool in one.tools.items()}

    def ask(prefix: str) -> frozenset[str]:
        if prefix not in tools:
            return frozenset()
        tool = tools[prefix]
        return frozenset(tool.listed.findall(printed(tool, launcher, environment)))

    return ask


def wrong_name(variable: str, layers: Layers, ask: Ask) -> str:
    """Say why a variable can't be one that the library reads; '' if it can.

    Variables of UCX, and those that are no MPI library's at all, are not known by any list.

    Args:
        variable: of the environment.
        layers: the library.
        ask: for the names that the library's tool has.
    """
    owners = _owners()
    prefix = next((one for one in owners if variable.startswith(one)), "")
    label = layers.version.label
    if not prefix:
        near = [
            one for one in owners if difflib.SequenceMatcher(None, one, variable[: len(one)]).ratio() > 0.8
        ]
        return (
            f"unknown parameter {variable}; did you mean {near[0]}{variable[len(near[0]) :]}?" if near else ""
        )
    first, *_ = owners[prefix]
    if label and all(label != one.label for one in owners[prefix]):
        return f"{variable} is a parameter of {first.label}, and the program uses {layers.title}"
    name, known = first.names_like(variable, layers.names, ask)
    if name in known or not known:
        return ""
    today = first.name_today(name, known)
    if today in known:
        return f"{name} is called {today} in {layers.title}: write that"
    like = difflib.get_close_matches(today, sorted(known), 1)
    return f"unknown parameter {name}" + (f"; did you mean {like[0]}?" if like else "")


def unused(variable: str, layers: Layers) -> str:
    """Say why a parameter means nothing for messages that go by these layers; '' if it may mean something.

    Args:
        variable: of the environment.
        layers: that the library sends by, with the parameter set: it may choose one of them.
    """
    own = (one for one in libraries() if one.label == layers.version.label)
    layer = next((one.unused(variable, layers) for one in own if variable.startswith(one.prefixes)), "")
    return f"{layer} is not used in this job: {layers.text}" if layer else ""


def _owners() -> dict[str, list[TunableLibrary]]:
    """Return the libraries whose parameters have a prefix, by the prefix."""
    found: dict[str, list[TunableLibrary]] = {}
    for library in libraries():
        for prefix in library.prefixes:
            found.setdefault(prefix, []).append(library)
    return found
