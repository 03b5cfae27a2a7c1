"""Settings of the user's own that are in force and would contradict ours, wherever they are made."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rankwise.launch.commandline import CommandLine, parse
from rankwise.launch.wrappers import behind
from rankwise.launchers.option import Option
from rankwise.tuning.settings import intel, mpich, openmpi

ENVIRONMENT = "the environment"
COMMAND_LINE = "the command line"

_MCA = "OMPI_MCA_"
_PARAMETER_OPTIONS = ("mca", "gmca", "omca", "gomca")
_FILE_OPTIONS = ("tune", "am")
_VARIABLE_OPTIONS = ("x", "env", "genv")
_LISTS = (f"{_MCA}mca_base_env_list", f"{_MCA}mca_base_env_list_internal")
_FILES = f"{_MCA}mca_base_param_files"
_MOST_BYTES = 1 << 20

_OF_LIBRARY = {
    openmpi.LABEL: re.compile(rf"{_MCA}(coll_tuned_.*|coll_han_.*(rules|algorithm|module).*|coll)"),
    mpich.LABEL: re.compile(
        r"(MPIR_CVAR|MPIR_PARAM|MPICH)_(\w+_ALGORITHM|\w+_COMPOSITION|(\w+_)?COLL_SELECTION_TUNING_JSON_FILE)"
    ),
    intel.LABEL: re.compile(r"I_MPI_(ADJUST|TUNING)_\w+|I_MPI_TUNING"),
}
"""Variables that choose algorithms."""


class Assignment(NamedTuple):
    """A variable that is set, and where.

    Attributes:
        name: of the variable; a parameter of Open MPI counts as its variable OMPI_MCA_...
        value: that it has.
        shown: as it stands there.
        where: for people.
    """

    name: str
    value: str
    shown: str
    where: str


def in_force(
    library: str,
    environment: Mapping[str, str],
    words: Sequence[str],
    ours: Mapping[str, str] | None = None,
    *,
    rules: bool = True,
) -> list[str]:
    """Return what is in force and contradicts settings of ours, a line each: what, and where it is made.

    Args:
        library: "Open MPI", "MPICH" or "Intel MPI".
        environment: that the command would be started with.
        words: of the command.
        ours: variables that are to be set; the same value is no contradiction.
        rules: whether algorithms of collectives are to be chosen.
    """
    ours = ours or {}
    of_library = _OF_LIBRARY.get(library)
    return list(
        dict.fromkeys(
            f"{one.shown} in {one.where}"
            for one in _assignments(library, environment, words)
            if _contradicts(one, of_library if rules else None, ours)
        )
    )


def _contradicts(one: Assignment, chooses: re.Pattern[str] | None, ours: Mapping[str, str]) -> bool:
    """Whether the user's assignment would take effect in the place of ours, or beside them."""
    chosen = bool(chooses and chooses.fullmatch(one.name))
    if chosen and _harmless(one):
        return False
    return ours[one.name] != one.value if one.name in ours else chosen


def _harmless(one: Assignment) -> bool:
    """Whether the value leaves the choice to the library, and to our rules."""
    if one.name == f"{_MCA}coll_tuned_use_dynamic_rules":
        return one.value.lower() in ("1", "true", "t", "yes", "y", "enabled", "on")
    if one.name == f"{_MCA}coll":
        listed = one.value.lstrip("^").split(",")
        return ("tuned" not in listed) if one.value.startswith("^") else ("tuned" in listed or not one.value)
    if one.name.startswith(_MCA) and one.name.endswith("_algorithm"):
        return one.value in ("", "0", "ignore")
    return one.value in ("", "auto")


def _assignments(library: str, environment: Mapping[str, str], words: Sequence[str]) -> Iterator[Assignment]:
    command = parse(words)
    inside = behind(command.wrappers, environment)
    for name, value in inside.items():
        yield from _assigned(name, value, ENVIRONMENT)
    files = [inside.get(_FILES, "")]
    for context in command.contexts:
        for option in context.options:
            for one in _by_option(option):
                yield from _assigned(one.name, one.value, COMMAND_LINE, one.shown)
                files += [one.value] if one.name == _FILES else []
            if library == openmpi.LABEL and option.name in _FILE_OPTIONS:
                files.append(option.value)
            if library == intel.LABEL and option.name == "tune":
                shown = " ".join(option.words)
                yield Assignment("I_MPI_TUNING", option.value or "tune", shown, COMMAND_LINE)
        given = behind(context.wrappers, {})
        for name, value in given.items():
            yield from _assigned(name, value, COMMAND_LINE)
    if library == openmpi.LABEL:
        named = [Path(name) for several in files for name in re.split("[,:]", several) if name]
        for file in dict.fromkeys([*named, *_usual_files(command, inside)]):
            yield from _in_file(file)


def _assigned(name: str, value: str, where: str, shown: str = "") -> Iterator[Assignment]:
    """Return an assignment, or those in the list that it is."""
    if name in _LISTS:
        for entry in value.split(";"):
            inner, _, given = entry.strip().partition("=")
            yield Assignment(inner, given, entry.strip(), f"{where} ({name.removeprefix(_MCA)})")
    else:
        yield Assignment(name, value, shown or f"{name}={value}", where)


def _by_option(option: Option) -> Iterator[Assignment]:
    """Return what an option of a launcher sets."""
    shown = " ".join(option.words)
    if option.name in _PARAMETER_OPTIONS and len(option.words) == 3:
        yield Assignment(_MCA + option.words[1], option.words[2], shown, COMMAND_LINE)
    elif option.name in _VARIABLE_OPTIONS:
        name, equals, value = "=".join(option.words[1:]).partition("=")
        if equals:
            yield Assignment(name, value, shown, COMMAND_LINE)


def _usual_files(command: CommandLine, environment: Mapping[str, str]) -> Iterator[Path]:
    """Return the files that Open MPI reads unasked: the user's, and the installation's."""
    if home := environment.get("HOME"):
        yield Path(home, ".openmpi", "mca-params.conf")
    launcher = shutil.which(command.launcher, path=environment.get("PATH")) if command.launcher else None
    if launcher:
        for found in dict.fromkeys((Path(launcher), Path(launcher).resolve())):
            prefix = found.parent.parent
            yield prefix / "etc" / "openmpi-mca-params.conf"
            yield prefix / "etc" / "openmpi" / "openmpi-mca-params.conf"
    yield Path("/etc/openmpi/openmpi-mca-params.conf")


def _in_file(path: Path) -> Iterator[Assignment]:
    """Return what a file of parameters sets: `name = value`, `--mca name value` and `-x NAME=value`."""
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return  # the library does without it, too
    for line in text.splitlines():
        told = line.partition("#")[0].strip()
        name, equals, value = told.partition("=")
        if equals and re.fullmatch(r"\w+", name.strip()):
            given = value.strip().strip("\"'")
            yield Assignment(_MCA + name.strip(), given, told, str(path))
            continue
        for option, parameter, given in re.findall(r"(?:^|\s)(--?(?:g?mca|omca))\s+(\S+)\s+(\S+)", told):
            shown = f"{option} {parameter} {given}"
            yield Assignment(_MCA + parameter, given.strip("\"'"), shown, str(path))
        for variable, given in re.findall(r"(?:^|\s)-x\s+(\w+)=(\S*)", told):
            yield Assignment(variable, given, f"-x {variable}={given}", str(path))
