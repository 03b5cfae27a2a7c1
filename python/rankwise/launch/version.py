"""Whose launcher a command is: what it answers to `--version`."""

from __future__ import annotations

import re
from functools import cache

_ANSWERS = (
    (re.compile(r"Intel\(R\) MPI Library.*?Version (\S+)", re.DOTALL), "Intel MPI", "mpich"),
    (re.compile(r"\((?:OpenRTE|Open MPI|PRRTE)\) (\S+)"), "Open MPI", "openmpi"),
    (re.compile(r"^slurm\S* (\d\S*)", re.MULTILINE), "Slurm", ""),
    (re.compile(r"HYDRA build details:\s+Version:\s+(\S+)"), "MPICH", "mpich"),
)


@cache
def ask(launcher: str) -> tuple[str, str, str]:
    """Asks the command; it gets ten seconds and no input.

    Args:
        launcher: path or name of the command.

    Returns:
        its label ("Open MPI", "MPICH", "Intel MPI", "Slurm"), its version, and the family of its MPI ('' for
        Slurm, which serves all); all '' if it can't be told.
    """
    import subprocess  # later: most launchers are known by their names

    try:
        answer = subprocess.run(
            [launcher, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=10,
            check=False,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return "", "", ""
    for pattern, label, family in _ANSWERS:
        if match := pattern.search(answer):
            return label, match[1].rstrip(","), family
    return "", "", ""
