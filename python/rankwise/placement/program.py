"""What a run started, without the launcher: what another launcher is to start."""

from __future__ import annotations

from rankwise.analysis.overview import Run
from rankwise.launch.commandline import parse

_LABELS = ("Open MPI", "Intel MPI", "MPICH")


def program_of(run: Run) -> list[str]:
    """Return the program and its arguments; none if they are not known, or there were several programs."""
    # The library tells whose `mpirun` it was, which need not be the one that is found here.
    library = run.mpi_library.replace("(R)", "")
    label = next((label for label in _LABELS if library.startswith(label)), "")
    contexts = parse(run.command, lambda _: label).contexts
    if len(contexts) != 1 or not contexts[0].program:
        return []
    [only] = contexts
    return [*(word for wrapper in only.wrappers for word in wrapper.words), *only.program]
