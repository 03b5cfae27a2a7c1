"""Whose launcher a command is: what it answers to `--version`."""

from __future__ import annotations

from functools import cache

from rankwise.launchers import launchers


@cache
def ask(launcher: str) -> tuple[str, str, str]:
    """Asks the command; it gets ten seconds and no input.

    Args:
        launcher: path or name of the command.

    Returns:
        its label ("Open MPI", "MPICH", "Intel MPI", "Slurm"), its version, and the name of its MPI library in
        mpi_libraries ('' for Slurm, which serves all); all '' if unknown.
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
    for known in (known for launcher in launchers() for known in launcher.answers):
        if match := known.pattern.search(answer):
            return known.label, match[1].rstrip(","), known.library
    return "", "", ""
