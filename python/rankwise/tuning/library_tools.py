"""The parameters of an MPI library, as its own tool lists them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rankwise.probes import mpicc
from rankwise.tuning.libraries import libraries
from rankwise.tuning.libraries.base import Tool

_SECONDS = 60


def printed(tool: Tool, launcher: str, environment: Mapping[str, str]) -> str:
    """Return the output of the tool in a launcher's directory; '' if it is missing or fails.

    Args:
        tool: of the library.
        launcher: its command.
        environment: that it is started with.
    """
    launcher_path = shutil.which(launcher, path=environment.get("PATH"))
    # A link may lead away from the tools, or to them.
    places = (
        [Path(launcher_path).absolute().parent, Path(launcher_path).resolve().parent] if launcher_path else []
    )
    path = next((str(candidate) for place in places if (candidate := place / tool.words[0]).is_file()), None)
    if not path:
        return ""
    try:
        return mpicc.call([path, *tool.words[1:]], environment, _SECONDS).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def defaults(launcher: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the default values of parameters, by the variables that set them.

    Args:
        launcher: its command.
        environment: that it is started with.
    """
    values: dict[str, str] = {}
    for library in libraries():
        for prefix, tool in library.tools.items():
            if tool.values is None:
                continue
            bare = {name: value for name, value in environment.items() if not name.startswith(prefix)}
            text = printed(tool, launcher, {**bare, **tool.unset})
            values |= {f"{prefix}{name}": value for name, value in tool.values.findall(text)}
    return values
