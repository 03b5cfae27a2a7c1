"""A letter to one user, ready to be mailed: plain words, and lines for the job script."""

from __future__ import annotations

import calendar
import shlex
import textwrap
from collections.abc import Sequence

from rankwise.centre.letter import Topic
from rankwise.centre.waste import (
    ALGORITHMS,
    BINDING,
    FILES,
    HANG,
    OVERSUBSCRIPTION,
    PLACEMENT,
    PROGRAM,
    WAITING,
)
from rankwise.text.safe import safe
from rankwise.text.units import number_of
from rankwise.views.centre.common import hours_text
from rankwise.views.centre.run import finding_command

_WIDTH = 72

_CAUSES = {
    WAITING: "because their processes waited for slower ones",
    OVERSUBSCRIPTION: "because their processes and threads had to share processors",
    BINDING: "because processes had to share too few processors",
    PLACEMENT: "because processes that exchange much data were on different nodes",
    ALGORITHMS: "because the MPI library did not use its fastest methods",
    PROGRAM: "because the program calls MPI more often than necessary",
    HANG: "because processes waited for calls that never came",
    FILES: "because a few processes read and wrote files for all others",
}

_SRUN = "srun"
_OPEN_MPI = "Open MPI"


def month_text(month: str) -> str:
    """Return a month in words: October 2026."""
    year, number = month.split("-")
    return f"{calendar.month_name[int(number)]} {year}"


def letter(user: str, month: str, topics: Sequence[Topic]) -> str:
    """Return the letter: a subject, an empty line, and the text.

    Args:
        user: who gets it.
        month: 2026-10.
        topics: at least one.
    """
    when = month_text(month)
    lost = sum(topic.lost_hours for topic in topics)
    subject = f"Subject: {_bound(topics)} {hours_text(lost)} node hours of your jobs in {when} can be saved"
    opening = (
        "we measure how well programs use the machine, and hope that this helps you to get more from your"
        " allocation."
    )
    closing = (
        "The numbers are from Rankwise, which recorded these runs; only findings of high confidence are"
        ' above. "Up to" means that it can be less. If you would like help, just reply.'
    )
    parts = [subject, f"Dear {user},", _filled(opening)]
    parts += [part for topic in topics for part in _about(topic, when)]
    parts.append(_filled(closing))
    # ASCII: mail without a header about its encoding.
    return "\n".join(safe(line) for line in "\n\n".join(parts).split("\n")) + "\n"


def _about(topic: Topic, when: str) -> list[str]:
    what = _filled(
        f"Your {number_of(topic.runs, 'run')} of {_name(topic.program)} in {when} used"
        f" {hours_text(topic.node_hours)} node hours. {_bound([topic])} {hours_text(topic.lost_hours)} of"
        f" these were lost {_CAUSES.get(topic.waste, '')}".rstrip()
        + "."
    )
    lines, said = _cure(topic)
    if not lines:
        return [what]
    return [what, _filled(said), "\n".join(f"    {line}" for line in lines)]


def _cure(topic: Topic) -> tuple[list[str], str]:
    """Return lines to use, and the sentence before them; no lines = no line is known."""
    run, finding = topic.run.run, topic.finding
    rule, launcher = finding["rule"], (run["launcher"] or "").rpartition("/")[2]
    if rule == "badly-bound" and launcher == _SRUN:
        return [
            "#SBATCH --cpus-per-task=T",
            "export SRUN_CPUS_PER_TASK=T OMP_NUM_THREADS=T",
            "srun --cpu-bind=cores ...",
        ], "These lines in the job script can keep them, with T threads in each process:"
    if rule == "badly-bound" and (run["mpi_library"] or "").startswith(_OPEN_MPI):
        return [
            "mpirun --map-by slot:PE=T --bind-to core ..."
        ], "This line in the job script can keep them, with T threads in each process:"
    if rule == "oversubscribed" and launcher == _SRUN:
        return (
            [
                "#SBATCH --ntasks-per-node=P",
                "#SBATCH --cpus-per-task=T",
                "export OMP_NUM_THREADS=T",
            ],
            "These lines in the job script can keep them; P times T is the number of cores of a node:",
        )
    if rule == "preempted" and launcher == _SRUN:
        return (
            ["#SBATCH --exclusive"],
            "This line in the job script can keep them, as other programs then use other nodes:",
        )
    if rule == "off-node-traffic" and run["profile"] and run["profile"].isprintable():
        return [
            f"rankwise run --place {shlex.quote(run['profile'])} -- {launcher or 'mpirun'} ..."
        ], "This line in the job script, instead of the launch, orders the processes better:"
    command = finding_command(run, finding)
    if command and command.endswith("-- COMMAND"):
        return [command], "This command, in a job, looks for settings that keep them (COMMAND is the launch):"
    if command:
        return [command], f"{_job(topic)} shows it best. This command says where:"
    return [], ""


def _job(topic: Topic) -> str:
    run = topic.run.run
    name = f"Job {run['job']}" if run["job"] else "The run"
    return f"{name} of {run['started']:%Y-%m-%d}"


def _bound(topics: Sequence[Topic]) -> str:
    return "Up to" if any(topic.bounded for topic in topics) else "About"


def _name(program: str) -> str:
    return program or "a program"


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)
