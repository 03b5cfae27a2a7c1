"""The parameters of the user's MPI library, and suggestions for names that it doesn't have."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from rankwise.tuning.libraries import libraries
from rankwise.tuning.libraries.base import Ask, TunableLibrary
from rankwise.tuning.library_tools import printed
from rankwise.tuning.parameters.layers import Layers


def control_of(variable: str) -> str:
    """Return the variable of MPI_T with the value of an environment variable; '': no such variable."""
    return next((control for library in libraries() if (control := library.control_of(variable))), "")


def short_prefix() -> str:
    """Return the prefix of variables that users may leave out."""
    return next((library.short for library in libraries() if library.short), "")


def tool_names(launcher: str, environment: Mapping[str, str]) -> Ask:
    """Return a function that asks the library's own tool for all names with a prefix.

    MPI_T does not list parameters of components that are not in use, nor all of Intel MPI's.

    Args:
        launcher: its command.
        environment: that it is started with.
    """
    tools = {prefix: tool for library in libraries() for prefix, tool in library.tools.items()}

    def ask(prefix: str) -> frozenset[str]:
        if prefix not in tools:
            return frozenset()
        tool = tools[prefix]
        return frozenset(tool.listed.findall(printed(tool, launcher, environment)))

    return ask


def wrong_name(variable: str, layers: Layers, ask: Ask) -> str:
    """Return why the library can't read a variable; '' if it can.

    Variables of UCX, and of anything but MPI libraries, are in no list.

    Args:
        variable: of the environment.
        layers: the library.
        ask: for the names that the library's tool lists.
    """
    owners = _owners()
    prefix = next((owner for owner in owners if variable.startswith(owner)), "")
    label = layers.version.label
    if not prefix:
        near = [
            owner
            for owner in owners
            if difflib.SequenceMatcher(None, owner, variable[: len(owner)]).ratio() > 0.8
        ]
        return (
            f"unknown parameter {variable}; did you mean {near[0]}{variable[len(near[0]) :]}?" if near else ""
        )
    first, *_ = owners[prefix]
    if label and all(label != library.label for library in owners[prefix]):
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
    """Return why a parameter has no effect on messages sent by these layers; '' if it may have one.

    Args:
        variable: of the environment.
        layers: that the library sends by when the parameter is set, as it may choose one.
    """
    own = (library for library in libraries() if library.label == layers.version.label)
    layer = next(
        (library.unused(variable, layers) for library in own if variable.startswith(library.prefixes)), ""
    )
    return f"{layer} is not used in this job: {layers.text}" if layer else ""


def _owners() -> dict[str, list[TunableLibrary]]:
    """Return the libraries whose parameters have a prefix, by the prefix."""
    owners: dict[str, list[TunableLibrary]] = {}
    for library in libraries():
        for prefix in library.prefixes:
            owners.setdefault(prefix, []).append(library)
    return owners
