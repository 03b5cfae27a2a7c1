"""Screens of profiles: the summary, every view, explanations, comparisons, matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import communicators_made
import hung_profiles
import large_profiles
import overview_profiles
import phased_run
import profiles
import test_findings as findings
from made_profile import Made
from screens_made import MATRICES, SUMMARIES, Screen, changed, found, of_profile, seen, views

from rankwise.analysis.opened import opened_profile
from rankwise.commands.show import VIEWS
from rankwise.findings.metrics import METRICS
from rankwise.findings.registry import RULES
from rankwise.render.page.container import Container
from rankwise.render.page.contents.run import run_data
from rankwise.render.page.contents.subject import subject

OVERSUBSCRIBED = changed(
    profiles.write_profile,
    "DELETE FROM messages WHERE source / 2 = destination / 2",
    "UPDATE ranks SET cpus_allowed = '0'",
)


def _of_time(procedure: str, seconds: float, ranks: int = 4) -> Made:
    run = Made(ranks)
    for rank in range(ranks):
        run.call(rank, procedure, seconds)
    return run


def _several_reasons() -> Made:
    run = Made()
    for rank in range(4):
        run.call(rank, "MPI_Isend", 2.0)
        run.call(rank, "MPI_File_write_all", 1.5)
        run.call(rank, "MPI_Iprobe", 1.5)
    return run


def _messages_waited_for() -> Made:
    run = Made()
    for rank in (0, 2, 3):
        run.call(rank, "MPI_Recv", 3.0, size_bin=4)
        run.wait(rank, "MPI_Recv", 1, 1.0, 4.0, 3.5)
    return run


def _late_node() -> Made:
    made = findings.barriers(Made(8, ["n1"] * 4 + ["n2"] * 4), [4, 5, 6, 7])
    made.connection.execute("UPDATE ranks SET clock_error = 0")
    return made


def _clocks_not_compared() -> Made:
    """Two nodes of whose clocks nothing is known."""
    run = Made(4, ["n1", "n1", "n2", "n2"])
    for rank in range(4):
        run.call(rank, "MPI_Alltoall", 4.0)
        run.call(rank, "MPI_Recv", 1.0)
    run.wait(0, "MPI_Recv", 1, 1.0, 2.0, 1.5)
    return run


FINDINGS: Mapping[str, Callable[[], Made]] = {
    "late-rank": lambda: findings.barriers(Made(), [2]),
    "late-sender": _messages_waited_for,
    "late-node": _late_node,
    "waiting-collective": lambda: findings.barriers(Made(), [0, 1, 2, 3]),
    "collective-algorithm": lambda: findings.patterned(2**20, 3, 3 * 2**20),
    "off-node-traffic": lambda: findings.ring(["a", "a", "b", "b"]),
    "reorder-not-done": lambda: findings.ring(["a", "a", "b", "b"], reorder=1),
    "eager-threshold": lambda: findings.sends([8192, 6000, 6000, 6000], 0.5),
    "oversubscribed": lambda: findings.barriers(Made(cpus="0-1"), [0, 1, 2, 3]),
    "badly-bound": lambda: findings.bound("3", "3", "4-5", "6-7"),
    "badly-bound-threads": lambda: findings.bound("2", "3", threads=4),
    "preempted": lambda: findings.switching(1000, 7.0),
    "polling": lambda: _of_time("MPI_Iprobe", 5.0),
    "communicators-not-freed": lambda: findings.duplicates(None),
    "unbalanced-files": lambda: findings.files([0.0, 4.0, 0.0, 0.0]),
    "quiet": Made,
    "computing": lambda: _of_time("MPI_Allreduce", 0.5),
    "moving-data": lambda: _of_time("MPI_Isend", 5.0),
    "input-output": lambda: _of_time("MPI_File_write_all", 5.0),
    "several-reasons": _several_reasons,
    "a-single-rank": lambda: _of_time("MPI_Isend", 5.0, 1),
}


def _phased(path: Path) -> None:
    phased_run.run_of_eight().write(path)


def _stencil(path: Path) -> None:
    large_profiles.write_stencil(path, large_profiles.Grid(8, 4, 4))


PAGES: Mapping[str, Callable[[Path], object]] = {
    "heat": profiles.write_profile,
    "partial": profiles.write_partial,
    "late-rank": overview_profiles.late_rank,
    "wrong-tag": hung_profiles.wrong_tag,
    "phases": _phased,
    "clocks-not-compared": lambda path: _clocks_not_compared().write(path),
}


def _hostile(directory: Path) -> str:
    profiles.write_hostile(directory / "h.rankwise")
    return "".join(seen("show", "h.rankwise", *words) for words in ((), ("--by", "file"), ("--by", "node")))


def _parts(directory: Path) -> str:
    """What is restricted to a part of a run, cut, or empty."""
    profiles.write_large(directory / "a.rankwise")
    commands = [("--by", "call", "--limit", "3"), ("--by", "communicator", "--limit", "2", "-v")]
    commands += [("--by", "call", "--rank", "1-2"), ("--by", "call", "--call", "Allreduce,Bcast")]
    commands += [("--by", "size", "--communicator", "row"), ("--by", "rank", "--node", "nodeb")]
    commands += [("--by", "call", "--region", "solve"), ("--by", "call", "--size", "64K-")]
    commands += [("--by", "call", "--call", "Put"), ("--matrix", "--call", "Isend")]
    return "".join(seen("show", "a.rankwise", *words) for words in commands)


def _explained(_: Path) -> str:
    words = [metric.name for metric in METRICS] + [rule.id for rule in RULES]
    return seen("explain") + "".join(seen("explain", word) for word in words)


def _compared(directory: Path) -> str:
    slower = "UPDATE calls SET seconds = 2 * seconds, calls = calls + 3 WHERE procedure = 2"
    longer = "UPDATE ranks SET mpi = mpi + 1, wall = wall + 1, run = run + 1"
    for name, statements in (("a", ()), ("b", (slower, longer, "UPDATE run SET wall = 11"))):
        changed(profiles.write_profile, *statements)(directory / f"{name}.rankwise")
    for number in range(4):
        factor = 1 + 0.01 * number
        for name, by in (("before", factor), ("after", 1.5 * factor)):
            changed(
                profiles.write_profile,
                f"UPDATE calls SET seconds = seconds * {by} WHERE procedure = 2",
                f"UPDATE ranks SET mpi = mpi + {by}, wall = wall + {by}, run = run + {by}",
                f"UPDATE run SET wall = 10 + {by}",
            )(directory / f"{name}{number}.rankwise")
    before, after = ([f"{name}{number}.rankwise" for number in range(4)] for name in ("before", "after"))
    profiles.write_empty(directory / "empty.rankwise")
    return (
        seen("diff", "a.rankwise", "b.rankwise")
        + seen("diff", "a.rankwise", "b.rankwise", "-v")
        + seen("diff", "a.rankwise", "a.rankwise")
        + seen("diff", *before, "--", *after)
        + seen("diff", "a.rankwise", "empty.rankwise")
    )


def _listed(directory: Path) -> str:
    for place, (name, statements) in enumerate(
        {
            "a": ("UPDATE run SET started = '2026-11-02T08:30:00+00:00'",),
            "b": ("INSERT INTO tags VALUES ('size', '1024'), ('commit', 'f3a9b27c001d')",),
            "c": ("UPDATE run SET exit_status = 9, ranks_expected = 6",),
        }.items()
    ):
        changed(profiles.write_profile, *statements, f"UPDATE run SET wall = {10 + place}")(
            directory / f"{name}.rankwise"
        )
    (directory / "d.rankwise").write_bytes((directory / "a.rankwise").read_bytes()[:8000])
    return seen("list", ".") + seen("list", "a.rankwise", "b.rankwise", "--ranks", "6")


def _page_of(write: Callable[[Path], object]) -> Screen:
    """Return what a report says of a run: all texts of more than one word, by where they are in its data."""

    def texts(at: str, data: object) -> Iterator[str]:
        if isinstance(data, str):
            yield from [f"{at}: {data}"] if " " in data else []
        elif isinstance(data, Mapping):
            for name, value in data.items():
                yield from texts(f"{at}.{name}" if at else name, value)
        elif isinstance(data, Sequence):
            for place, value in enumerate(data):
                yield from texts(f"{at}[{place}]", value)

    def made(directory: Path) -> str:
        write(directory / "a.rankwise")
        with opened_profile(Path("a.rankwise")) as connection:
            run = run_data(subject(Path("a.rankwise"), connection, Container()), "a")
        del run["axes"]  # names
        return "\n".join([*texts("", run), ""])

    return made


SCREENS: dict[str, Screen] = {
    "heat": of_profile(profiles.write_profile, *SUMMARIES, *MATRICES, *views(*VIEWS)),
    "partial": of_profile(profiles.write_partial, *SUMMARIES, *views("rank")),
    "wrong-tag": of_profile(hung_profiles.wrong_tag, *SUMMARIES),
    "long-computation": of_profile(hung_profiles.long_computation, ("show", "F"), ("explain", "F")),
    "empty": of_profile(profiles.write_empty, *SUMMARIES, *MATRICES, *views(*VIEWS)),
    "inside": of_profile(
        profiles.write_inside, *SUMMARIES, *MATRICES, *views("collective", "algorithm", "pair", "call")
    ),
    "files": of_profile(profiles.write_with_files, *SUMMARIES, *views("file")),
    "large": of_profile(profiles.write_large, *SUMMARIES),
    "parts": _parts,
    "hostile": _hostile,
    "oversubscribed-grid": of_profile(OVERSUBSCRIBED, *SUMMARIES, *views("rank", "node")),
    "late-rank-of-all": of_profile(
        overview_profiles.late_rank, *SUMMARIES, *views("waiting", "rank", "call")
    ),
    "phases": of_profile(_phased, *SUMMARIES, *views("time", "waiting", "pair", "algorithm", "collective")),
    "communicators": of_profile(
        communicators_made.write_kinds, *SUMMARIES, *views("communicator", "library", "site")
    ),
    "stencil": of_profile(_stencil, *SUMMARIES, *views(*VIEWS)),
    "late-messages": found(_messages_waited_for, *SUMMARIES, *views("waiting")),
    "clocks-not-compared": found(_clocks_not_compared, *SUMMARIES, *views("waiting")),
    "lost-processors": found(partial(findings.switching, 1000, 7.0), *views("counter")),
    "bound": found(partial(findings.bound, "3", "3", "4-5", "6-7"), *views("node", "rank")),
    "explain-words": _explained,
    "diff": _compared,
    "list": _listed,
    **{f"page-{name}": _page_of(write) for name, write in PAGES.items()},
    **{f"finding-{name}": found(make) for name, make in FINDINGS.items()},
}
