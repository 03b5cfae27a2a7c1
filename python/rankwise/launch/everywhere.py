"""The variables that record every MPI job without `rankwise run`, for the places where programs start."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

USER = "%u"
"""In the path of the directory of jobs: the user who starts the program."""

_USER_IN_SHELL = '"$(id -un)"'
_USER_IN_TCL = "$::tcl_platform(user)"


class Everywhere(NamedTuple):
    """The variables to set.

    Attributes:
        library: that is preloaded; its path needs no quotes in LD_PRELOAD.
        jobs: the directory below which each job has its run directory: absolute, with USER or without.
        settings: further variables.
    """

    library: Path
    jobs: str
    settings: Mapping[str, str]


def as_shell(what: Everywhere) -> str:
    """Return it as lines for a shell."""
    jobs = _for_shell(what.jobs)
    lines = [
        *_own_directory_in_shell(what),
        f"export RANKWISE_JOBS={jobs}",
        *(f"export {name}={shlex.quote(value)}" for name, value in what.settings.items()),
        *_unless_preloaded(what, f"export LD_PRELOAD={_preloaded(what)}"),
    ]
    return "\n".join(lines)


def as_module(what: Everywhere) -> str:
    """Return it as a modulefile in Tcl, for Environment Modules and Lmod."""
    jobs = _USER_IN_TCL.join(_for_tcl(part) for part in what.jobs.split(USER))
    made = f"if {{[module-info mode load]}} {{catch {{exec mkdir -p -m 700 {jobs}}}}}"
    lines = [
        "#%Module",
        "module-whatis {Rankwise: records where the communication of MPI programs goes}",
        *([made] if USER in what.jobs else []),
        f"setenv RANKWISE_JOBS {jobs}",
        *(f"setenv {name} {_for_tcl(value)}" for name, value in what.settings.items()),
        f"prepend-path LD_PRELOAD {_for_tcl(str(what.library))}",
    ]
    return "\n".join(lines)


def as_task_prolog(what: Everywhere) -> str:
    """Return the settings as a script for Slurm's TaskProlog; it prints the variables of a task."""
    jobs = _for_shell(what.jobs)
    lines = [
        "#!/bin/sh",
        *_own_directory_in_shell(what),
        f"printf 'export RANKWISE_JOBS=%s\\n' {jobs}",
        *(f"echo {shlex.quote(f'export {name}={value}')}" for name, value in what.settings.items()),
        *_unless_preloaded(what, f"printf 'export LD_PRELOAD=%s\\n' {_preloaded(what)}"),
    ]
    return "\n".join(lines)


FORMATS: Mapping[str, Callable[[Everywhere], str]] = {
    "shell": as_shell,
    "module": as_module,
    "taskprolog": as_task_prolog,
}


def _for_shell(path: str) -> str:
    return _USER_IN_SHELL.join(shlex.quote(part) if part else "" for part in path.split(USER))


def _for_tcl(text: str) -> str:
    return re.sub(r"[^\w/.,:=+@-]", r"\\\g<0>", text)


def _own_directory_in_shell(what: Everywhere) -> list[str]:
    made = f"mkdir -p -m 700 {_for_shell(what.jobs)} 2>/dev/null"
    return [made] if USER in what.jobs else []


def _preloaded(what: Everywhere) -> str:
    return shlex.quote(str(what.library)) + '"${LD_PRELOAD:+:$LD_PRELOAD}"'


def _unless_preloaded(what: Everywhere, line: str) -> list[str]:
    # The loader takes the names apart at blanks, too.
    return [
        'case ":${LD_PRELOAD-}:" in',
        f"*[:\\ ]{shlex.quote(str(what.library))}[:\\ ]*) ;;",
        f"*) {line} ;;",
        "esac",
    ]
