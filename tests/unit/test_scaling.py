"""`rankwise scaling`: programs with known laws are judged right, and noise is no finding."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any, cast

import pytest
from scaling_made import RANKS, Call, Program

import rankwise
from exhaustive import repeated
from golden import Golden, assert_facts
from rankwise.__main__ import main
from rankwise.errors import RankwiseError
from rankwise.reading.scaling import ScalingAnswer
from rankwise.runs.scaling import Scaling
from rankwise.runs.scaling_rows import Row
from rankwise.views.runs.model_text import form_text
from rankwise.views.runs.scaling_charts import charts
from rankwise.views.runs.scaling_sentences import unsplit_notes, warning_lines

CALLS = {
    ("W", "MPI_Allreduce"): Call(lambda p: 0.05 * math.log2(p), lambda _: 8e3),
    ("W_s1", "MPI_Alltoall"): Call(lambda p: 0.02 * p, lambda p: 1e4 * p, "solve/exchange"),
    ("W", "MPI_Bcast"): Call(lambda _: 0.1, lambda _: 1e3),
}
STRONG = Program(useful=lambda p: 64 / p, calls=CALLS, noise=0.03)
WEAK = replace(STRONG, useful=lambda _: 8.0)
EVEN = Program(
    useful=lambda _: 8.0,
    calls={
        (family, procedure): Call(lambda _: 1.0, lambda _: 1e4)
        for family in ("W", "W_s1", "W_d1", "W_d2")
        for procedure in ("MPI_Allreduce", "MPI_Sendrecv")
    },
    noise=0.03,
)


def found(directory: Path, program: Program, *, runs: int = 3, seed: int = 1, **asked: Any) -> Scaling:
    program.write(directory, runs=runs, seed=seed)
    return rankwise.scaling(directory, **asked).found


def row(scaling: Scaling, call: str, by: str = "communicator") -> Row:
    return next(each for each in scaling.rows[by] if each.call == call)


def form(some: Row) -> str:
    assert some.seconds_fit is not None
    return form_text(some.seconds_fit.model, ["p"])


@pytest.mark.parametrize(("program", "kind"), [(STRONG, "strong"), (WEAK, "weak")])
def test_what_stops_scaling(tmp_path: Path, program: Program, kind: str) -> None:
    scaling = found(tmp_path, program, at=1024)
    assert scaling.kind.kind == kind
    assert not scaling.kind.given
    first = scaling.rows["communicator"][0]
    assert (first.communicator, first.call, first.state) == ("W_s1", "MPI_Alltoall", "stops")
    assert first.bytes_grow
    assert form(first) == "p"
    assert form(row(scaling, "MPI_Allreduce")) == "log2(p)"
    assert form(row(scaling, "MPI_Bcast")) == "constant"
    times = {each.row.call: each.seconds for each in scaling.predicted if each.row and not each.row.outside}
    for (_, call), law in CALLS.items():
        assert times[call].low <= law.seconds(1024) <= times[call].high
    total = program.useful(1024) + sum(law.seconds(1024) for law in CALLS.values())
    assert scaling.predicted[0].seconds.low <= total <= scaling.predicted[0].seconds.high
    sent = next(each.bytes_sent for each in scaling.predicted if each.row == first)
    assert sent is not None
    assert sent.value == pytest.approx(1e4 * 1024, rel=0.01)


def test_from_where_it_stops(tmp_path: Path) -> None:
    """The loss of each row follows from the laws: the first number of ranks with 2 % of the run."""
    scaling = found(tmp_path, replace(STRONG, noise=0.0), runs=1)
    lost = {}
    for ranks in RANKS:
        total = 64 / ranks + sum(law.seconds(ranks) for law in CALLS.values())
        lost[ranks] = 100 * (0.02 * ranks - 0.02 * 2 * 2 / ranks) / total
    alltoall = row(scaling, "MPI_Alltoall")
    assert alltoall.lost_percent == pytest.approx([*lost.values()])
    assert alltoall.since == next(ranks for ranks, percent in lost.items() if percent >= 2)
    total_lost = sum(each.lost_percent[-1] for each in scaling.rows["communicator"])
    factors = scaling.factors
    assert total_lost == pytest.approx(100 * (1 - factors[-1].speedup / factors[-1].ideal_speedup))


def test_factors(tmp_path: Path) -> None:
    scaling = found(tmp_path, replace(STRONG, noise=0.0, useful=lambda p: 64 / p * (1 + p / 64)), runs=1)
    for each in scaling.factors:
        useful = 64 / each.ranks * (1 + each.ranks / 64)
        run = useful + sum(law.seconds(each.ranks) for law in CALLS.values())
        assert each.run_seconds == pytest.approx(run)
        assert each.parallel == pytest.approx(useful / run)
        assert each.computation == pytest.approx((1 + 2 / 64) / (1 + each.ranks / 64))
        assert each.global_efficiency == pytest.approx(each.parallel * each.computation)
        reference = scaling.factors[0]
        assert each.speedup == pytest.approx(
            each.ideal_speedup * each.global_efficiency / reference.global_efficiency
        )
        assert each.run_plus_minus_percent is None  # one run each
        assert (each.instructions, each.instructions_per_cycle, each.frequency) == (None, None, None)


def test_weak_factors(tmp_path: Path) -> None:
    scaling = found(tmp_path, replace(WEAK, noise=0.0), runs=1)
    last, reference = scaling.factors[-1], scaling.factors[0]
    assert last.computation == pytest.approx(1.0)
    assert last.speedup == pytest.approx(
        last.ideal_speedup * last.global_efficiency / reference.global_efficiency
    )


@repeated(1, 3)
@pytest.mark.parametrize("runs", [1, 3])
def test_noise_is_no_finding(tmp_path: Path, runs: int, times: int) -> None:
    for seed in range(times):
        directory = tmp_path / str(seed)
        directory.mkdir()
        scaling = found(directory, EVEN, runs=runs, seed=seed)
        for by in ("communicator", "call", "region"):
            assert [each for each in scaling.rows[by] if each.since] == []
        title = rankwise.scaling(directory).title
        assert title.startswith("No call stops scaling")


@repeated(1, 3)
def test_delayed_runs(tmp_path: Path, times: int) -> None:
    """Other jobs make runs longer by 30 %, each by another amount: shares of them still tell."""
    for seed in range(times):
        directories = tmp_path / f"even{seed}", tmp_path / f"strong{seed}"
        for directory in directories:
            directory.mkdir()
        even = found(directories[0], replace(EVEN, slower=0.3), seed=seed, kind="weak")
        assert [each for each in even.rows["communicator"] if each.since] == []
        strong = found(directories[1], replace(STRONG, slower=0.3), seed=seed, kind="strong")
        first = strong.rows["communicator"][0]
        assert (first.call, first.state) == ("MPI_Alltoall", "stops")


def test_computing_that_does_not_scale(tmp_path: Path) -> None:
    """Half of the work is done by each rank: this is named, and no call."""
    scaling = found(tmp_path, replace(STRONG, calls={}, useful=lambda p: 20 + 20 / p), kind="strong")
    first = scaling.rows["communicator"][0]
    assert first.outside
    assert first.state == "stops"
    assert rankwise.scaling(tmp_path, kind="strong").title.startswith("Time outside of MPI stops scaling")


def test_a_reference(tmp_path: Path) -> None:
    scaling = found(tmp_path, STRONG, reference=8)
    assert [each.ideal_speedup for each in scaling.factors] == [ranks / 8 for ranks in RANKS]
    with pytest.raises(RankwiseError, match=r"7 ranks, .*: there are 2, 4, 8"):
        rankwise.scaling(tmp_path, reference=7)


def test_neither_strong_nor_weak(tmp_path: Path) -> None:
    program = replace(STRONG, useful=lambda p: 8 / p**0.5)
    with pytest.raises(RankwiseError, match=r"strong or weak .*--strong or --weak"):
        found(tmp_path, program)
    assert rankwise.scaling(tmp_path, kind="weak").found.kind.given


WORK_S = 16.0
"""Processor time of all ranks together in programs with few processors."""


def on_processors(processors: int) -> Program:
    """Ranks that compute 16 s together on too few processors, and a call that scales."""

    def useful(p: float) -> float:
        return WORK_S / min(p, processors)

    return Program(
        useful=useful,
        calls={("W", "MPI_Allreduce"): Call(lambda p: 0.01 / p, lambda _: 8.0)},
        noise=0.01,
        used=lambda p: WORK_S / p,
        waited=lambda p: useful(p) - WORK_S / p,
        cpus=f"0-{processors - 1}",
    )


@pytest.mark.parametrize("reported", [True, False])
def test_too_few_processors_are_no_fault_of_the_program(
    tmp_path: Path, golden: Golden, reported: bool
) -> None:
    """The work is the same with any number of ranks, but the useful time of all ranks grows as the ranks."""
    program = on_processors(2)
    if not reported:
        program = replace(program, waited=None)
    scaling = found(tmp_path, program, at=1024)
    assert scaling.kind.kind == "strong"
    assert scaling.kind.useful_ratio == pytest.approx(1.0, abs=0.05)
    for each in scaling.factors:
        assert each.crowded == (each.ranks > 2)
        assert each.without_processor_percent == pytest.approx(100 * (1 - min(2 / each.ranks, 1)), abs=2)
    assert scaling.shortage
    assert (scaling.shortage.crowded, scaling.shortage.is_exact) == (True, reported)
    assert scaling.shortage.explains
    assert scaling.predicted == []
    answer = rankwise.scaling(tmp_path, at=1024)
    golden.says(answer.title, f"64 ranks .. {'' if reported else 'up to '}97 % .. 0.0 % at 2 ranks")
    golden.says(warnings(answer), "4, 8, 16, 32, 64 ranks")


def warnings(answer: ScalingAnswer) -> str:
    return "\n".join(warning_lines(answer.found))


def test_ranks_that_are_bound_to_the_same_processor(tmp_path: Path) -> None:
    """The node has as many processors as ranks, but two of four ranks share one."""
    paths = replace(on_processors(4), waited=None).write(tmp_path, ranks=(2, 4))
    moved(paths[1], "UPDATE ranks SET cpus_allowed = CASE WHEN rank < 2 THEN '0' ELSE '1-3' END")
    before, after = rankwise.scaling(tmp_path).found.factors
    assert (before.crowded, before.without_processor_percent) == (False, 0.0)
    assert after.crowded
    assert after.without_processor_percent == pytest.approx(100 * (0.5 + 0.5) / 4)


def test_other_processes_use_the_processors(tmp_path: Path, golden: Golden) -> None:
    program = replace(on_processors(2), cpus="0-255")
    answer = rankwise.scaling(program.write(tmp_path, runs=2))
    golden.says(answer.title, "64 ranks .. 97 %")
    golden.says(warnings(answer), "4, 8, 16, 32, 64 ranks")


def test_a_call_that_loses_more_than_the_processors(tmp_path: Path, golden: Golden) -> None:
    """Some seconds without a processor are mentioned, and the call that stops scaling is named."""
    program = replace(STRONG, waited=lambda p: 0.1 * 64 / p, noise=0.0)
    answer = rankwise.scaling(program.write(tmp_path, runs=2), at=128)
    golden.says(warnings(answer), "2, 4, 8, 16, 32 ranks")
    percents = [each.without_processor_percent for each in answer.found.factors]
    runs = [64 / ranks + sum(law.seconds(ranks) for law in CALLS.values()) for ranks in RANKS]
    assert percents == pytest.approx(
        [100 * 0.1 * 64 / ranks / run for ranks, run in zip(RANKS, runs, strict=True)]
    )
    assert answer.found.shortage is None  # with most ranks
    assert_facts(answer.title, "Alltoall on W_s1 .. 16 ranks")
    assert answer.found.predicted
    program = replace(STRONG, waited=lambda p: 0.02 * p / 4, noise=0.0)  # a quarter of the call
    shortage = rankwise.scaling(program.write(tmp_path, runs=2)).found.shortage
    assert shortage
    assert not shortage.explains
    assert_facts(rankwise.scaling(tmp_path).title, "Alltoall on W_s1 .. 16 ranks")


def test_even_shares_of_processors(tmp_path: Path) -> None:
    """A program that scales is said to scale, also without a processor for part of the time."""
    program = replace(EVEN, waited=lambda _: 0.3 * 16)
    answer = rankwise.scaling(program.write(tmp_path, runs=2))
    assert answer.found.kind.kind == "weak"
    assert [row for rows in answer.found.rows.values() for row in rows if row.since] == []
    assert not (answer.found.shortage and answer.found.shortage.explains)


def test_weak_scaling_on_too_few_processors(tmp_path: Path) -> None:
    """Ranks that poll use their processors in MPI, too: then neither time tells strong from weak scaling."""
    program = replace(
        on_processors(2), used=lambda _: 8.0, calls={("W", "MPI_Barrier"): Call(lambda p: p)}, cpus="0-1"
    )
    with pytest.raises(RankwiseError, match=r" \d+ % .* --strong or --weak"):
        found(tmp_path, program)
    assert rankwise.scaling(tmp_path, kind="strong").found.kind.given


def test_factors_of_communication_that_are_unknown(tmp_path: Path, golden: Golden) -> None:
    """A line says with how many ranks, and why."""
    first, *rest = found(tmp_path, STRONG).factors
    known = [replace(each, serialisation=1.0, transfer=1.0) for each in (first, *rest)]
    unknown = [
        replace(each, serialisation=None, transfer=None, why_no_split="REASON") for each in (first, *rest)
    ]
    assert unsplit_notes(known) == []
    for factors, facts in (
        ([unknown[0], *known[1:]], "2 ranks .. REASON"),
        ([*unknown[:2], *known[2:]], "2, 4 ranks .. REASON .. 4 ranks"),
        (unknown, "REASON .. 64 ranks"),
    ):
        golden.says("".join(unsplit_notes(factors)), facts)


def test_a_row_that_is_new(tmp_path: Path, golden: Golden) -> None:
    """One rank does not communicate, so the ideal time is 0: a call takes time, but does not stop scaling."""
    calls = {("W", "MPI_Send"): Call(lambda p: 0.3 if p > 1 else 0.0, lambda _: 1e4)}
    program = Program(useful=lambda p: 64 / p, calls=calls)
    program.write(tmp_path, ranks=(1, 2, 4, 8, 16, 32), runs=2)
    golden.says(rankwise.scaling(tmp_path).title, "Send on W .. 8 .. 32 .. none at 1")


def test_few_numbers_of_ranks(tmp_path: Path) -> None:
    STRONG.write(tmp_path, ranks=(2, 4, 8))
    answer = rankwise.scaling(tmp_path, at=64)
    assert not answer.found.predicted
    assert "at least 4 numbers of ranks" in answer.text()
    with pytest.raises(RankwiseError, match="two numbers"):
        rankwise.scaling(tmp_path / "heat-2-0.rankwise")


def of_two(directory: Path, other: Program) -> Path:
    STRONG.write(directory, ranks=(2, 4))
    (directory / "other").mkdir()
    other.write(directory / "other", ranks=(4, 8), seed=2)
    return directory


def moved(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as profile:
        profile.execute(statement)
        profile.commit()


def test_several_programs(tmp_path: Path) -> None:
    of_two(tmp_path, replace(STRONG, name="ocean"))
    with pytest.raises(RankwiseError, match="2 programs: heat, ocean; choose one with --program heat"):
        rankwise.scaling(tmp_path)
    assert [each.ranks for each in rankwise.scaling(tmp_path, program="oce*").found.factors] == [4, 8]
    with pytest.raises(RankwiseError, match="there are heat, ocean"):
        rankwise.scaling(tmp_path, program="river")


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        (replace(STRONG, library="MPICH Version: 4.0.2"), "2 MPI libraries: MPICH 4.0.2 .*, Open MPI 4.1.4"),
        (replace(STRONG, tags={"size": "9"}), "4 ranks .*the tag size: 9 .*, none"),
    ],
)
def test_runs_that_cannot_be_compared(tmp_path: Path, other: Program, complaint: str) -> None:
    with pytest.raises(RankwiseError, match=complaint):
        rankwise.scaling(of_two(tmp_path, other))


def test_several_numbers_of_nodes(tmp_path: Path) -> None:
    paths = STRONG.write(tmp_path, ranks=(2, 4), runs=2)
    moved(paths[0], "UPDATE ranks SET host = 'node' || rank")
    with pytest.raises(RankwiseError, match=r"with 2 ranks have 2 numbers of nodes: 1 .*, 2"):
        rankwise.scaling(tmp_path)


def test_left_out_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = STRONG.write(tmp_path, runs=2)
    paths[0].write_bytes(paths[0].read_bytes()[:5000])
    (tmp_path / "foreign.rankwise").write_text("no profile", encoding="utf-8")
    moved(paths[2], "UPDATE run SET partial = 1, partial_reason = 'rank 1 was killed'")
    (tmp_path / "copy.rankwise").write_bytes(paths[4].read_bytes())
    assert main(["scaling", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.replace("\n  ", " ").splitlines()
    left_out = [line for line in lines if line.startswith("! left out:")]
    for name in (paths[0].name, "foreign.rankwise", paths[2].name, "is the same run"):
        assert any(name in line for line in left_out), name
    assert len(left_out) == 4
    assert [each.runs for each in rankwise.scaling(tmp_path).found.factors] == [1, 1, 2, 2, 2, 2]


def test_no_readable_file(tmp_path: Path) -> None:
    (tmp_path / "foreign.rankwise").write_text("no profile", encoding="utf-8")
    with pytest.raises(RankwiseError, match="is not a Rankwise profile"):
        rankwise.scaling(tmp_path)


def sized(directory: Path, sizes: Sequence[int], ranks: Sequence[int]) -> Path:
    for size in sizes:
        folder = directory / str(size)
        folder.mkdir()
        calls = {("W", "MPI_Alltoall"): Call(lambda p, size=size: 1e-4 * size * p)}  # type: ignore[misc]
        program = Program(
            useful=lambda p, size=size: size / p,  # type: ignore[misc]
            calls=calls,
            tags={"size": str(size)},
        )
        program.write(folder, ranks=ranks, seed=size)
    return directory


def test_a_second_parameter(tmp_path: Path) -> None:
    sized(tmp_path, (10, 20, 40, 80), (2, 4, 8, 16))
    answer = rankwise.scaling(tmp_path, parameter="size", at=64)
    assert answer.found.parameter_value == 80
    assert [each.ranks for each in answer.found.factors] == [2, 4, 8, 16]
    alltoall = row(answer.found, "MPI_Alltoall")
    assert alltoall.seconds_fit is not None
    assert form_text(alltoall.seconds_fit.model, ["p", "size"]) == "p size"
    seconds = next(each.seconds for each in answer.found.predicted if each.row == alltoall)
    assert seconds.value == pytest.approx(1e-4 * 80 * 64, rel=0.02)
    with pytest.raises(RankwiseError, match=r"2 ranks .* the tag size"):
        rankwise.scaling(tmp_path)


def test_wrong_parameters(tmp_path: Path) -> None:
    sized(tmp_path, (10,), (2, 4))
    for parameter, complaint in (
        ("colour", r"has no tag 'colour' \(its tags: size\)"),
        ("size", "can't be separated"),
    ):
        with pytest.raises(RankwiseError, match=complaint):
            rankwise.scaling(tmp_path, parameter=parameter)
    moved(tmp_path / "10" / "heat-2-0.rankwise", "UPDATE tags SET value = 'large'")
    with pytest.raises(RankwiseError, match="tag size is 'large'"):
        rankwise.scaling(tmp_path, parameter="size")


def test_warnings(tmp_path: Path, golden: Golden) -> None:
    paths = STRONG.write(tmp_path, ranks=(2, 4), runs=2)
    moved(paths[0], 'UPDATE run SET programs = \'[["./heat", "other"]]\'')
    moved(paths[2], "UPDATE ranks SET cpus_allowed = '0-1'")
    for path in paths[2:]:
        moved(path, "UPDATE run SET wall = wall * 2")
    text = rankwise.scaling(tmp_path).text()
    golden.says(text)
    warnings = [line for line in text.splitlines() if line.startswith("! ")]
    assert len(warnings) == 3


def test_hardware_counters(tmp_path: Path) -> None:
    paths = replace(STRONG, noise=0.0).write(tmp_path, ranks=(2, 4))
    for path, extra in zip(paths, (1.0, 1.25), strict=True):
        ranks = 2 if path is paths[0] else 4
        moved(
            path,
            "INSERT INTO system_counters (rank, region, scaled, task_clock, instructions, cycles)"
            f" SELECT rank, 0, 0, 1.0, {extra * 8e9 / ranks}, {4e9 / ranks} FROM ranks",
        )
    last = rankwise.scaling(tmp_path).found.factors[-1]
    assert last.instructions == pytest.approx(0.8)
    assert last.instructions_per_cycle == pytest.approx(1.25)
    assert last.frequency == pytest.approx(0.5)
    moved(paths[1], "UPDATE system_counters SET cycles = NULL")
    assert rankwise.scaling(tmp_path).found.factors[-1].instructions is None


def test_as_a_page(tmp_path: Path) -> None:
    STRONG.write(tmp_path, runs=2)
    efficiency, speedup, time = charts(rankwise.scaling(tmp_path).found)
    measured, ideal = speedup.series
    assert [point.x for point in measured.points] == [*RANKS]
    assert ideal.points[-1].y == RANKS[-1] / RANKS[0]
    assert all(len(series.points) == len(RANKS) for series in (*efficiency.series, *time.series))
    for point in measured.points[1:]:
        assert point.low is not None and point.high is not None
        assert point.low <= point.y <= point.high
    page = tmp_path / "page.html"
    assert main(["scaling", str(tmp_path), "-o", str(page)]) == 0
    written = page.read_bytes()
    assert written.startswith(b"<!doctype html>")
    for refused in (page, tmp_path / "page.txt"):
        assert main(["scaling", str(tmp_path), "-o", str(refused)]) == 2
    assert page.read_bytes() == written


def test_as_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    STRONG.write(tmp_path, runs=2)
    assert main(["scaling", str(tmp_path), "--json", "--at", "128"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["kind"]["kind"] == "strong"
    alltoall = answer["communicator_calls"][0]
    assert alltoall["call"] == "MPI_Alltoall"
    assert alltoall["ranks"] == [*RANKS]
    assert alltoall["seconds_model"]["terms"][0]["powers"] == [1.0]
    assert answer["predicted"][0]["all"]
    result = rankwise.scaling(tmp_path, at=128)
    assert result.to_pandas("factors").ranks.tolist() == [*RANKS]
    assert len(result.to_pandas("predicted")) == len(answer["predicted"])
    assert result.names[0] == "factors"
    assert "<table>" in result._repr_html_()
    assert repr(result).startswith("<scaling: MPI_Alltoall") or repr(result).startswith("<scaling: Alltoall")


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (
            lambda path: rankwise.scaling(path, kind="large"),
            "'large': there are strong, weak",
        ),
        (lambda path: rankwise.scaling(path, by="rank"), "no table by 'rank': there are communicator"),
        (lambda path: rankwise.scaling(path, at=0), "at: 0 is not"),
        (lambda path: rankwise.scaling(path, reference=cast("int", 2.5)), "reference: 2.5 is not"),
        (lambda _: rankwise.scaling(cast("str", 3)), "profiles: 3 is not"),
    ],
)
def test_wrong_arguments(tmp_path: Path, ask: Callable[[Path], object], complaint: str) -> None:
    STRONG.write(tmp_path, ranks=(2, 4))
    with pytest.raises(RankwiseError, match=complaint):
        ask(tmp_path)


@pytest.mark.parametrize("words", [["--at", "many"], ["--reference-ranks", "0"], ["--strong", "--weak"]])
def test_wrong_words(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(["scaling", str(tmp_path), *words]) == 2
    assert "rankwise scaling --help" in capsys.readouterr().err


def test_call_sites(tmp_path: Path) -> None:
    STRONG.write(tmp_path, ranks=(2, 4))
    assert "By call site" in rankwise.scaling(tmp_path, by="site").text()


@pytest.mark.parametrize(("program", "words"), [(STRONG, ["--at", "1024"]), (WEAK, ["-v"]), (EVEN, [])])
def test_the_screen(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Golden,
    program: Program,
    words: list[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    program.write(Path(), runs=2)
    assert main(["scaling", ".", *words]) == 0
    golden.says(capsys.readouterr().out)


VALUES = ("'\x1b[2J[red]<b>'", "X'ff00'", "9223372036854775807", "-9e999", "1e29", "''", "-1", "NULL")
TABLES = (
    "run",
    "ranks",
    "communicators",
    "procedures",
    "regions",
    "family_sums",
    "system_counters",
    "tags",
    "diagnosis",
)


def test_every_column_with_a_wrong_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The profile is shown, left out with a line, or refused with one."""
    program = replace(STRONG, tags={"size": "10"})
    intact = program.write(tmp_path, ranks=(2, 4, 8))[0].read_bytes()
    changed = tmp_path / "heat-2-0.rankwise"
    ways = cycle([[], ["--json"], ["-v", "--at", "64"], ["--by", "site"]])
    with closing(sqlite3.connect(changed)) as profile:
        columns = [
            (table, name)
            for table in TABLES
            for (name,) in profile.execute("SELECT name FROM pragma_table_info(?)", (table,))
        ]
    shown = 0
    for (table, column), value in zip(columns, cycle(VALUES), strict=False):
        changed.write_bytes(intact)
        with suppress(sqlite3.IntegrityError):
            moved(changed, f'UPDATE {table} SET "{column}" = {value}')
        status = main(["scaling", str(tmp_path), *next(ways)])
        out, err = capsys.readouterr()
        shown += status == 0
        where = table, column, value
        assert status in (0, 1, 2), where
        assert err.count("\n") == (status == 2), where
        assert all(line.isascii() and line.isprintable() for line in out.splitlines()), where
        assert "nan" not in out.lower(), where
    assert shown
