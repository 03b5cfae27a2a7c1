"""`mpirun -n 4 rankwise run -- ./app`: a `rankwise run` for each rank.

All ranks but one become the program. The leader stays, as the launcher waits for it. When all ranks have
ended, its child makes the profile. The launcher may kill the leader with its ranks, so the child has a
separate session.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from rankwise._linux import close_all_but
from rankwise.commands.messages import say
from rankwise.errors import RankwiseError
from rankwise.launch import job
from rankwise.launch.environment import prepare
from rankwise.launch.foreign_processes import ForeignProcesses
from rankwise.launch.meeting import PATIENCE_S, Meeting, name_of
from rankwise.launch.observer import Observer
from rankwise.launch.plan import Plan
from rankwise.launch.reorder import Reordering
from rankwise.launch.rundirectory import RunDirectory, check_output
from rankwise.launch.wait_for_ranks import is_broken_here, wait_for_all, wait_for_ranks
from rankwise.launchers.base import Preload
from rankwise.launchers.membership import Membership

_FOR_RANK_0_S = 3.0
_BLOCKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_ORDER = "rankwise run -- mpirun -n 4 ./app"


class Behind(NamedTuple):
    """A `rankwise run` behind a launcher.

    Attributes:
        member: this process.
        planned: the program.
        preload: files and variables for the program, still without the run directory.
        output: the profile; None = named after the program and the job.
        live_dir: parent of the run directory; None = next to the profile.
        force: replace the profile.
        only: procedures whose messages inside are recorded; all if empty.
        reordering: of communicators; None = as they are.
        refused: why reordering is impossible here; '' = it is possible.
        finish: makes the profile and prints its summary: the run directory, the profile, the end of the
            leader's program, ranks without the library, and what the processes should have found.
    """

    member: Membership
    planned: Plan
    preload: Preload
    output: Path | None
    live_dir: Path | None
    force: bool
    only: Sequence[str]
    reordering: Reordering | None
    refused: str
    finish: Callable[[RunDirectory, Path, job.End, ForeignProcesses, Preload], object]

    def run(self) -> int:
        """Run the program of this rank; return its exit status, unless this process becomes the program.

        Raises:
            RankwiseError: the profile or the run directory can't be written. Only one rank reports it.
        """
        refused = self.refused or ("" if self.member.job else "the launcher does not distinguish jobs")
        if refused:
            if self.member.rank == 0:
                _say_unrecorded(refused)
            return _become(self.planned.words, os.environ)
        try:
            output = self._output()
            check_output(output, force=self.force)
            meeting = Meeting.enter(self._directory(output), self.member)
        except RankwiseError as error:
            if self.member.rank == 0:
                raise
            # The launcher ends all ranks with the first that fails: rank 0 is to be heard before.
            time.sleep(_FOR_RANK_0_S)
            return error.exit_status
        if meeting.leads:
            return self._lead(meeting, output)
        variables = meeting.decided(1.5 * PATIENCE_S)
        return _become(*self._launch(meeting.path, variables))

    def _output(self) -> Path:
        named = self.planned._replace(job=name_of(self.member.job))
        return (self.output or named.default_output()).absolute()

    def _directory(self, output: Path) -> Path:
        """Name the run directory; the name is unused by other jobs, even by their remains."""
        job_name = name_of(self.member.job)
        stem = output.stem if output.stem.endswith(f".{job_name}") else f"{output.stem}.{job_name}"
        name = f"{stem}.rankwise-run"
        return self.live_dir.absolute() / name if self.live_dir else output.with_name(name)

    def _launch(
        self, directory: Path, variables: Mapping[str, str] | None
    ) -> tuple[Sequence[str], Mapping[str, str]]:
        """Return the words and the environment of the program; our variables are removed."""
        if variables is None:
            return self.planned.words, os.environ
        preload = self.preload._replace(directory=directory, settings=variables)
        launch = prepare(self.planned.command, preload, os.environ, self.planned.script_mpirun)
        return launch.words, launch.environment

    def _lead(self, meeting: Meeting, output: Path) -> int:
        directory = RunDirectory(meeting.path, ours=True)
        try:
            complete = meeting.is_complete()
            if complete:
                directory.note(self.planned, self.only)
                if self.reordering:
                    directory.keep_machine(self.reordering)
            elif meeting.has_first_rank():
                _say_unrecorded(f"not all nodes see {meeting.path.parent}")
            meeting.decide(self.preload.settings if complete else None)
            launch = self._launch(directory.path, self.preload.settings if complete else None)
            finisher = (
                _Finisher.start(lambda child: self._finish(child, directory, output)) if complete else None
            )
            end = job.run(*launch)
        except BaseException:
            directory.remove()
            raise
        if finisher:
            finisher.hand_over(end)
        else:
            directory.remove()
        if end.killed_by:
            _die_by(end.killed_by)
        return end.status

    def _finish(self, finisher: _Finisher, directory: RunDirectory, output: Path) -> None:
        preload = self.preload._replace(directory=directory.path)
        observer, strangers = Observer(directory.path), ForeignProcesses(preload)
        end = finisher.end([observer, strangers])

        def meanwhile() -> None:
            observer.step()
            finisher.let_go_if_broken(directory.path)

        if end.status == 0:
            wait_for_all(directory.path, self.member.size, meanwhile)
        else:
            wait_for_ranks(directory.path, sleep=observer.wait)
        noted = observer.note(end.interrupted_ns)
        directory.note_end(noted._replace(exit_status=end.status, interrupted=end.interrupted))
        self.finish(directory, output, end, strangers, preload)


class _Finisher:
    """The child that makes the profile, with the pipes between it and the leader."""

    def __init__(self, end_pipe: int, hold_pipe: int) -> None:
        self._end_pipe = end_pipe
        self._hold_pipe = hold_pipe
        self._let_go = False

    @classmethod
    def start(cls, work: Callable[[_Finisher], None]) -> _Finisher:
        """Start it; here, return the leader's side."""
        end_read, end_write = os.pipe()
        hold_read, hold_write = os.pipe()
        if os.fork():
            os.close(end_read)
            os.close(hold_write)
            return cls(end_write, hold_read)
        try:
            os.setsid()
            signal.pthread_sigmask(signal.SIG_BLOCK, _BLOCKED)
            close_all_but(0, 1, 2, end_read, hold_write)
            nothing = os.open(os.devnull, os.O_RDWR)
            os.dup2(nothing, 0)
            os.dup2(nothing, 1)
            work(cls(end_read, hold_write))
        except Exception as error:
            say(f"no profile written: {error}")
        finally:
            os._exit(0)

    def hand_over(self, end: job.End) -> None:
        """Pass on how the leader's program ended, and stay as long as the launcher may wait for it.

        The launcher must see at once that a program failed, or left MPI without MPI_Finalize: it then ends
        all others.
        """
        os.write(self._end_pipe, json.dumps(end).encode())
        os.close(self._end_pipe)
        if end.status:
            return
        close_all_but(0, 1, 2, self._hold_pipe)  # also the launcher's: it takes their end for the program's
        for signum in _BLOCKED:
            signal.signal(signum, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _BLOCKED)
        os.read(self._hold_pipe, 1)

    def end(self, beside: Sequence[job.Beside]) -> job.End:
        """Wait for the end of the leader's program, or of the leader."""
        for helper in beside:
            helper.start()
        text = b""
        with contextlib.closing(job.Turns(self._end_pipe, beside)) as turns:
            while not select.select([self._end_pipe], [], [], 0)[0]:
                turns.wait()
            while part := os.read(self._end_pipe, 4096):
                text += part
        if not text:
            return job.End(128 + signal.SIGKILL, "")
        status, *_ = json.loads(text)
        # A signal comes from the launcher here, which ends all its ranks if one of them fails.
        return job.End(status, "")

    def let_go_if_broken(self, run_directory: Path) -> None:
        """Let the leader end, if the launcher is to see that a rank of this node failed."""
        if not self._let_go and is_broken_here(run_directory):
            self._let_go = True
            os.close(self._hold_pipe)


def _say_unrecorded(why: str) -> None:
    say(f"this job runs unrecorded: {why}; put Rankwise before the launcher: {_ORDER}")


def _become(words: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Become the program."""
    for signum in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; the program must not
        signal.signal(signum, signal.SIG_DFL)
    try:
        os.execvpe(words[0], list(words), environment)
    except OSError:  # a text without `#!`, as shells do it
        os.execvpe("/bin/sh", ["/bin/sh", *words], environment)


def _die_by(signum: int) -> None:
    """End as the program did, without a second core file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if signum not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(signum, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signum])
    os.kill(os.getpid(), signum)
