"""The facts about a launch in advance, and whether it can work at all."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from rankwise._files import installed
from rankwise.errors import RankwiseError
from rankwise.launch import containers, privilege
from rankwise.launch.batch import batch_job
from rankwise.launch.commandline import CommandLine, Context, parse
from rankwise.launch.detect import Detection, Kind, detect
from rankwise.launch.elf import imported_symbols
from rankwise.launch.environment import mpirun_version
from rankwise.launch.wrappers import behind
from rankwise.launchers.base import Preload
from rankwise.mpi_libraries import UNKNOWN, title
from rankwise.profile.collect.programs import program_name
from rankwise.version import __version__

_OTHER_USERS = ("sudo", "doas", "pkexec", "su")
_MOST_RESETS = 3
_QUEUERS = ("sbatch", "qsub", "bsub", "msub", "pjsub", "oarsub")
STATIC_CURE = (
    "link it with the shared MPI library (without -static), or with what `rankwise link-flags` prints"
)


def library(name: str = "librankwise.so") -> Path:
    """Return a library that is preloaded.

    Raises:
        RankwiseError: it is missing, or LD_PRELOAD can't name it.
    """
    path = installed(f"lib/{name}")
    if set(" :\t\n;") & set(str(path)):
        raise RankwiseError(
            f"LD_PRELOAD can't name {path}: install Rankwise in a place without blanks, : and ;"
        )
    return path


class Plan(NamedTuple):
    """A command, and all that is known about it before it starts."""

    words: tuple[str, ...]
    command: CommandLine
    detections: tuple[Detection, ...]  # one a program
    environment: Mapping[str, str]  # as the programs see it, behind the user's `env`
    job: str  # of the scheduler, '' without one
    script_mpirun: str | None  # see environment.prepare
    tags: Mapping[str, str] = {}

    @property
    def launcher(self) -> str:
        """Base name of the launcher, '' without one."""
        return PurePath(self.command.launcher).name

    def not_covered(self) -> list[str] | None:
        """MPI procedures that the programs import and Rankwise does not record; None = not to be seen."""
        from rankwise.profile.collect.coverage import not_covered

        if not self.detections or any(d.kind is not Kind.MPI for d in self.detections):
            return None  # what a script or Python loads is known only when it runs
        return not_covered(
            {name for d in self.detections for path in d.callers for name in imported_symbols(path)}
        )

    def default_output(self, program: Sequence[str] = ()) -> Path:
        """Name the profile after the program and the job.

        Args:
            program: its command line; empty = the first of the command.
        """
        named = next((words for c in self.command.contexts for words in c.programs), (self.launcher,))
        run = self.job.replace("/", "_") or os.getpid()
        return Path(f"{program_name(program or named)}.{run}.rankwise")

    def note(self, not_covered: Sequence[str] | None) -> dict[str, object]:
        """Return what launch.json holds (profile/launch_note.py reads it).

        Args:
            not_covered: see above, as far as it is known yet.
        """
        return {
            "command": list(self.words),
            "directory": str(Path.cwd()),
            "launcher": self.launcher,
            "job": self.job,
            "tags": dict(self.tags),
            "not_covered": not_covered,
            "rankwise_version": __version__,
        }

    def to_add(self, preload: Preload) -> list[str]:
        """Say for each container of the command that would not see Rankwise what to add to it."""
        command = self.command
        return containers.missing(command.containers, command.words, self.environment, preload)

    def resets(self) -> list[str]:
        """Say for each line of a script that takes Rankwise away from a program what to write instead."""
        from rankwise.launch.resets import resets  # later: most commands start no script

        scripts = [d.path for d in self.detections if d.kind is Kind.SCRIPT and d.path]
        reset_lines = [reset for path in scripts for reset in resets(path, self.environment)]
        return [
            *self._as_another_user(),
            *(f"{reset.text}; {reset.cure}" for reset in reset_lines[:_MOST_RESETS]),
        ]

    def _as_another_user(self) -> list[str]:
        command = self.command
        wrappers = [*command.wrappers, *(w for context in command.contexts for w in context.wrappers)]
        started = [w.words[0] for w in wrappers] + [
            words[0] for c in command.contexts for words in c.programs
        ]
        for tool in (word for word in started if PurePath(word).name in _OTHER_USERS):
            words = shlex.join(word for word in self.words if word != tool)
            cure = f"start everything as that user: {tool} rankwise run -- {words}"
            return [f"{tool} removes Rankwise from the environment of the programs it starts; {cure}"]
        return []

    def why_nothing_was_seen(self, status: int, preload: Preload, foreign: str = "") -> str:
        """Say in one line why no MPI process may have been seen, and what to do.

        Args:
            status: of the command.
            preload: what the processes should have found.
            foreign: facts about MPI processes without the library.
        """
        if foreign:
            line = f"no process was recorded, so there is no profile (the command's exit status was {status})"
            return "; ".join([f"{line}: {foreign}", *self.resets(), *self.to_add(preload)])
        line = f"no MPI process was seen, so there is no profile (the command's exit status was {status})"
        if resets := self.resets():
            return "; ".join([f"{line}: {resets[0]}", *resets[1:]])
        kinds = {d.kind for d in self.detections}
        names = ", ".join(d.program for d in self.detections)
        if Kind.MISSING in kinds:
            missing = ", ".join(d.program for d in self.detections if d.kind is Kind.MISSING)
            return f"{line}: {missing} is not found"
        if Kind.CONTAINED in kinds:
            failed = "it ended before MPI_Init, or " if status else ""
            return f"{line}: {failed}{self._why_not_in_containers(preload)}"
        if kinds and kinds <= {Kind.OTHER}:
            return f"{line}: {names} is not linked with an MPI library that can be preloaded"
        absent = sorted({name for d in self.detections for name in d.missing})
        if status != 0 and absent:
            return f"{line}: not found here: {', '.join(absent)}; load the modules that it was built with"
        if status != 0 and Kind.MPI in kinds:
            return f"{line}: it ended before MPI_Init, or the launcher did not start it"
        return (
            f"{line}: not an MPI program, or statically linked, or set-uid, or in a container without "
            "Rankwise, or the environment did not reach it; see `rankwise doctor -- COMMAND`"
        )

    def _why_not_in_containers(self, preload: Preload) -> str:
        needed = f"{preload.library.parent} and {preload.directory.parent}"
        if to_add := self.to_add(preload):
            return f"the container does not see {needed} or Rankwise's variables; {'; '.join(to_add)}"
        names = ", ".join(dict.fromkeys(c.name for c in self.command.containers))
        return f"not an MPI program, or statically linked, or `{names}` hides {needed} from it"


def plan(
    words: Sequence[str], environment: Mapping[str, str], mpi: str | None = None, *, ask_python: bool = True
) -> Plan:
    """Look at a command and refuse what can't work.

    Args:
        words: the command.
        environment: that it would be started with.
        mpi: the user's --mpi.
        ask_python: see look().

    Raises:
        RankwiseError: there is no command, it is not found or only queues a job, MPI is linked in statically,
            the loader preloads nothing into the program, or --mpi contradicts it.
    """
    if not words:
        raise RankwiseError("no command: put it after `--`, as in: rankwise run -- mpirun -n 4 ./app")
    planned = look(words, environment, ask_python=ask_python or mpi is not None)
    check_startable(words[0], environment)
    command = planned.command
    programs = [c.program[0] for c in command.contexts if c.program and not command.containers_of(c)]
    # A program behind a launcher may be there only where it will run: that is the launcher's to say.
    launcher = [] if command.containers_before else [command.launcher]
    for started in launcher if command.launcher else programs[:1]:
        check_startable(started, planned.environment)
    for detection in planned.detections:
        _check_program(detection, mpi)
    return planned


def look(words: Sequence[str], environment: Mapping[str, str], *, ask_python: bool = True) -> Plan:
    """Find out what can be found out about a command, without judging it.

    Args:
        words: the command.
        environment: that it would be started with.
        ask_python: ask a Python interpreter which MPI its mpi4py would use, which takes as long as its start.
    """
    command = parse(words)
    behind_wrappers = behind(command.wrappers, environment)

    def detection_of(context: Context, program: tuple[str, ...]) -> Detection:
        if boxes := command.containers_of(context):
            # It is in an image, or its libraries are: a file of that name out here proves nothing.
            return Detection(program=program[0], kind=Kind.CONTAINED, how=", ".join(b.name for b in boxes))
        return detect(program, behind_wrappers, ask_python=ask_python)

    detections = tuple(
        detection_of(context, program) for context in command.contexts for program in context.programs
    )
    is_script = command.known is None and any(d.kind is Kind.SCRIPT for d in detections)
    return Plan(
        words=tuple(words),
        command=command,
        detections=detections,
        environment=behind_wrappers,
        job=batch_job(environment),
        script_mpirun=mpirun_version(behind_wrappers) if is_script else None,
    )


def check_startable(word: str, environment: Mapping[str, str], verb: str = "run") -> None:
    """Refuse a command that is not there or starts nothing.

    Args:
        word: its name or path.
        environment: that it would be started with.
        verb: of Rankwise, that the command was given to.

    Raises:
        RankwiseError: it is not found (127), not executable (126), or only queues a job.
    """
    if PurePath(word).name in _QUEUERS:
        raise RankwiseError(
            f"{word} only queues a job: put `rankwise {verb} --` before mpirun in the job script"
        )
    if shutil.which(word, path=environment.get("PATH")):
        return
    if "/" not in word or not Path(word).exists():
        raise RankwiseError(f"{word}: command not found; check its name, or load its module", exit_status=127)
    raise RankwiseError(f"{word} is not executable: chmod +x it, or name its interpreter", exit_status=126)


def _check_program(detection: Detection, mpi: str | None) -> None:
    if detection.static:
        raise RankwiseError(
            f"{detection.path} has MPI linked in statically, and nothing can be preloaded before it: "
            + STATIC_CURE
        )
    if detection.path and (privileged := detection.privilege):
        raise RankwiseError(f"{detection.path} {privileged}: {privilege.cure(detection.path)}")
    if mpi and detection.mpi not in (UNKNOWN, mpi):
        raise RankwiseError(
            f"--mpi {mpi} contradicts {detection.program}, which uses {title(detection.mpi)} "
            f"({detection.how}): remove --mpi"
        )
