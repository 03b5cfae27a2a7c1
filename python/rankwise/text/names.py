"""Short names for the terminal; the full ones are in `--json` and `export`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from rankwise.analysis.calls.bins import OTHER
from rankwise.analysis.calls.communicators import Communicator
from rankwise.analysis.calls.families import Family
from rankwise.analysis.calls.operations import Operation
from rankwise.analysis.overview import Run
from rankwise.mpi_libraries import version_of
from rankwise.profile.collect.programs import without_interpreter
from rankwise.text.units import bin_text


def call_name(procedure: str) -> str:
    """Return `Allreduce` for `MPI_Allreduce`."""
    return procedure.removeprefix("MPI_")


def algorithm_name(label: str) -> str:
    """Return `binomial` for MPICH's `MPIR_Bcast_intra_binomial`; names of other libraries as they are."""
    return label.rpartition("_intra_" if "_intra_" in label else "_allcomm_")[2]


def operation_name(operation: Operation | None) -> str:
    """Return `Allreduce 8-15 B`; a dash where nothing was called."""
    if operation is None:
        return "-"
    # Most calls without bytes never have any: `Barrier 0 B` or `Waitall 0 B` would say nothing.
    # Of what size a call was that never returned is not known.
    size = f" {bin_text(operation.size_bin)}" if operation.size_bin not in (0, OTHER) else ""
    return f"{call_name(operation.procedure)}{size}"


def communicator_name(communicator: Communicator) -> str:
    """Return the name, followed by the program's own name in quotes if it set one."""
    return names_quoted(communicator.name, _given([communicator.user_name], communicator.type))


def quoted_name(name: str, user_name: str) -> str:
    """Return a communicator's name, followed by the program's own name in quotes if it set one."""
    return names_quoted(name, [user_name] if user_name else [])


def names_quoted(name: str, user_names: Sequence[str]) -> str:
    """Return the name of communicators, followed by the program's names for them: `W_s1 "row" +3 names`."""
    if not user_names:
        return name
    more = f" +{len(user_names) - 1} names" if len(user_names) > 1 else ""
    return f'{name} "{user_names[0]}"{more}'


def listed(names: Sequence[str]) -> str:
    """Return the first of the names, and how many more there are: `W_f1`, `W_f1 +2`; nothing for none."""
    return " +".join([*names[:1], *([str(len(names) - 1)] if len(names) > 1 else [])])


def family_name(family: Family) -> str:
    """Return the family's name, followed by the program's own names for its communicators."""
    return names_quoted(family.name, _given(family.user_names, family.type))


def name_and_role(made: Communicator | Family) -> str:
    """Return the name with the program's own names, or where it gave none with the role in parentheses."""
    if isinstance(made, Family):
        name, given = family_name(made), bool(made.user_names)
    else:
        name, given = communicator_name(made), bool(made.user_name)
    return f"{name} ({made.role})" if made.role and not given else name


def _given(user_names: Sequence[str], kind: str) -> list[str]:
    """Return the program's own names without repeats; of files the last steps of their paths."""
    shown = [name.rpartition("/")[2] if kind == "file" else name for name in user_names]
    return list(dict.fromkeys(filter(None, shown)))


def makers_name(family: Family) -> str:
    """Return the procedures that made a family: `Comm_split`, `Comm_dup +2`; `predefined` if none did."""
    return listed([call_name(name) or "predefined" for name in family.procedures])


def size_name(family: Family) -> str:
    """Return how many communicators of how many processes: `2 x 16`, `3 x 5-6`, `1 x 1+3`; or a dash."""
    if family.size_max == 0:
        return "-"
    remote = f"+{family.remote_size}" if family.remote_size else ""
    return f"{count_and_sizes(family.communicators, family.size_min, family.size_max)}{remote}"


def count_and_sizes(communicators: int, least: int, most: int) -> str:
    """Return how many communicators of how many processes: `2 x 16`, `3 x 5-6`."""
    return f"{communicators} x {least}" + (f"-{most}" if most != least else "")


def kinds_name(families: Iterable[Family]) -> str:
    """Return what the members of families are: `communicators`, `communicators or windows`."""
    return " or ".join(f"{kind}s" for kind in sorted({family.type for family in families}))


def processes_name(communicator: Communicator) -> str:
    """Return the number of processes: `16`, or of both groups of an intercommunicator: `4+12`."""
    size, remote = communicator.size, communicator.remote_size
    return f"{size}+{remote}" if remote else str(size)


def both_groups(local: str, remote: str | None) -> str:
    """Join the values of a communicator's groups; for an intercommunicator both: `0 + 1-3`."""
    return f"{local} + {remote}" if remote else local


def topology_name(topology: str, dims: list[int]) -> str:
    """Return `cart 4x2`, `graph`, or a dash."""
    return " ".join(filter(None, (topology, "x".join(map(str, dims))))) or "-"


def reorder_name(made: Communicator | Family) -> str:
    """Return `done` where Rankwise reordered, `asked` where only the program allowed it, or a dash."""
    if made.reordered:
        return "done"
    return "asked" if made.reorder else "-"


def program_text(programs: Sequence[Sequence[str]]) -> str:
    """Return the command lines of a world's programs: `ocean in.nml : atmosphere`."""
    return " : ".join(shlex.join(without_interpreter(words)) for words in programs)


def library_name(library: str) -> str:
    """Return `Open MPI 5.0.9` from the first line of MPI_Get_library_version."""
    label, number = version_of(library)
    return f"{label} {number}" if label else " ".join(library.strip().split(",")[0].split())


def library_said(library: str) -> str:
    """Return all that MPI_Get_library_version says, in a line without the tabulators of MPICH's."""
    return " ".join(library.split())


def shown_path(path: Path) -> str:
    """Return the path as a word of a command line, relative where it lies in the working directory."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def run_title(run: Run) -> str:
    """Return what ran, the program first."""
    return run_command(run) if run.worlds > 1 else title_of(run.command, run.programs) or run_command(run)


def title_of(command: Sequence[str], programs: Sequence[Sequence[str]]) -> str:
    """Return `./heat 100  by mpirun -n 4`: the program first, since a title may be cut.

    Args:
        command: as the user typed it.
        programs: of the one world that it started, as their processes report them; empty = not known.
    """
    if not programs or not command:
        return shlex.join(command)
    words_left, shown = list(command), []
    for words in programs:
        start, end = _place_of(words, words_left)
        shown.append(words_left[start:end] or words)
        del words_left[start:end]
    by = f"  by {shlex.join(words_left)}" if words_left else ""
    return f"{program_text(shown)}{by}"


def _place_of(program: Sequence[str], command: Sequence[str]) -> tuple[int, int]:
    """Return where a program is in a command; (0, 0) if it is not: a script has started it."""
    # Of very long ones the profile has the beginning.
    is_cut = program[-1:] != [] and program[-1].endswith("\N{HORIZONTAL ELLIPSIS}")
    whole = list(program[:-1] if is_cut else program)
    for start in range(len(command)):
        end = start + len(whole)
        if whole and list(command[start:end]) == whole:
            return start, len(command) if is_cut else end
    return 0, 0


def run_command(run: Run) -> str:
    """Return what ran: the command as it was typed, or of several worlds the programs of this one."""
    if run.worlds > 1 and run.programs:
        return program_text(run.programs)
    # A run directory that was recovered manually may not have the command.
    return shlex.join(run.command or [run.executable])
