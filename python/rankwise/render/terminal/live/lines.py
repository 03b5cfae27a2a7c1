"""The picture of a running job as lines that fit on the screen."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from rich.text import Text

from rankwise.analysis.last_calls import COLLECTIVES, PlaceRow
from rankwise.live.picture import Activity, Pair, Picture, Rank, WorldPicture
from rankwise.render.terminal.last_calls import place_columns
from rankwise.render.terminal.page import Page
from rankwise.render.terminal.tables import TextColumn, cut, fit, label, number, table_lines
from rankwise.text.hang import hang_text
from rankwise.text.names import call_name, library_name, program_text, title_of
from rankwise.text.units import byte_rate_text, byte_text, number_of, percent_text, rate_text, second_text

QUIET_S = 10.0
"""Seconds without a heartbeat after which a job is reported as possibly hanging."""

_APART = "  "
_BAR = 20
# Of equally long ones, the last is shortened last.
_MOST_ROWS = {"calls": 10, "communicators": 8, "slowest": 8, "pairs": 8, "places": 8}
_INSIDE = "inside"


def picture_lines(page: Page, picture: Picture, height: int, every: float) -> list[Text]:
    """Return the picture as lines.

    Args:
        page: to write to.
        picture: of the job.
        height: lines of the screen; 0 = any number.
        every: seconds between two pictures.
    """
    world = _shown(picture)
    title = _title(page, picture, world, every)
    head = [
        *title,
        *_facts(page, world),
        *_times(page, picture, world),
        *_rates(page, picture, world),
    ]
    head += _saves(page, picture) + _alarm(page, world)
    head += [
        page.shortened(page.text(f"! {text}", "yellow"), page.width) for text in _warnings(picture, world)
    ]
    if not height:
        return [*head, *_tables(page, picture, world, dict(_MOST_ROWS))]
    rows = dict(_MOST_ROWS)
    lines = [*head, *_tables(page, picture, world, rows)]
    while len(lines) > height and max(rows.values()) > 1:
        rows[max(rows, key=lambda name: rows[name])] -= 1
        lines = [*head, *_tables(page, picture, world, rows)]
    return lines[:height]


def _shown(picture: Picture) -> WorldPicture:
    """Of several worlds, return the first that has not ended."""
    alive = (world for world in picture.worlds if world.quiet_seconds is not None)
    return next(alive, picture.worlds[-1])


def _title(page: Page, picture: Picture, world: WorldPicture, every: float) -> list[Text]:
    command = title_of(picture.command, picture.worlds[0].programs) or picture.worlds[0].executable
    if len(picture.worlds) > 1:
        command = program_text(world.programs)
    clock = picture.time[11:19]
    pace = "ended" if picture.over else f"every {every:g} s"
    right = f"{_APART}{clock}{_APART}{pace}"
    left = page.shortened(page.text(f"rankwise top{_APART}{command}", "bold"), page.width - len(right))
    return [left + Text(" " * (page.width - left.cell_len - len(right))) + page.text(right)]


def _facts(page: Page, world: WorldPicture) -> list[Text]:
    ranks_seen = "" if world.ranks_seen == world.ranks_expected else f"{world.ranks_seen} of "
    facts = [
        f"{ranks_seen}{number_of(world.ranks_expected, 'rank')} / {number_of(world.nodes, 'node')}",
        f"world {world.world} of {world.worlds}" if world.worlds > 1 else "",
        library_name(world.mpi_library),
        f"started {world.started[11:19]}",
        f"wall {second_text(world.wall_seconds)}",
    ]
    return [page.shortened(line, page.width) for line in page.joined(facts, _APART, 2)[:1]]


def _times(page: Page, picture: Picture, world: WorldPicture) -> list[Text]:
    start = (
        f"from start {percent_text(world.percent_in_mpi_from_start)} %"
        f"{_APART}(Init, Finalize {second_text(world.init_finalize_seconds)})"
    )
    if not picture.interval_seconds:
        return [page.text(f"MPI {start}")]
    words = f" {percent_text(world.percent_in_mpi)} %{_APART}{start}"
    return [page.text("MPI ") + _bar(page, world.percent_in_mpi) + page.text(words)]


def _bar(page: Page, share: float) -> Text:
    full, empty = ("█", "░") if page.shows("█░") else ("#", ".")
    filled = min(round(_BAR * share / 100), _BAR)
    return page.text(full * filled, "cyan") + page.text(empty * (_BAR - filled), "dim")


def _rates(page: Page, picture: Picture, world: WorldPicture) -> list[Text]:
    if not picture.interval_seconds:
        return [page.text("rates follow with the next update", "dim")]
    fields = [
        f"{rate_text(world.calls_per_second)} calls/s, {byte_rate_text(world.bytes_sent_per_second)}/s sent"
    ]
    fields += [
        f"{kind.kind} {rate_text(kind.messages_per_second)} messages/s,"
        f" {byte_rate_text(kind.bytes_per_second)}/s"
        for kind in world.traffic
    ]
    fields += [f"inside collectives not visible here: {why}" for why in _not_visible(world)]
    return [page.shortened(line, page.width) for line in page.joined(fields, "; ", 2)]


def _not_visible(world: WorldPicture) -> list[str]:
    """Return why no messages inside collectives are visible, if they are invisible everywhere."""
    whys = {hook.not_visible for hook in world.inside_collectives}
    called = any(row.name in COLLECTIVES and row.calls_per_second for row in world.calls)
    return sorted(whys) if called and "" not in whys else []


def _saves(page: Page, picture: Picture) -> list[Text]:
    """Return a line on the nodes with older counters."""
    if not picture.saves:
        return []
    oldest = max(save.seconds_ago for save in picture.saves)
    nodes = number_of(len(picture.saves), "node")
    return page.wrapped(f"{nodes} as saved, up to {second_text(oldest)} ago", "dim", 2)


def _alarm(page: Page, world: WorldPicture) -> list[Text]:
    """Return a line on a job that makes no progress, and why."""
    lines = []
    if world.quiet_seconds is not None and world.quiet_seconds >= QUIET_S:
        text = f"no rank has entered or left an MPI call for {second_text(world.quiet_seconds)}"
        lines += page.wrapped(text, "bold red", 2)
    if world.hang and (world.hang.is_deadlock or lines):
        lines += page.wrapped(hang_text(world.hang), "bold red", 2)
    return lines


def _warnings(picture: Picture, world: WorldPicture) -> list[str]:
    warnings = [*picture.warnings, *world.warnings]
    more = (
        [f"{len(warnings) - 1} more warnings: --once --json shows all"]
        if len(warnings) > 2
        else warnings[1:2]
    )
    return [*warnings[:1], *more]


def _tables(page: Page, picture: Picture, world: WorldPicture, rows: dict[str, int]) -> list[Text]:
    recent = bool(picture.interval_seconds)
    lines = [
        Text(),
        *table_lines(page, place_columns("are now in"), *fit(_ordered(world), rows["places"]), fold=False),
    ]
    for head, key in (("communicator", "communicators"), ("call", "calls")):
        activities: list[Activity] = getattr(world, key)
        columns = _activity_columns(head, recent)
        lines += [Text(), *table_lines(page, columns, *cut(activities, rows[key]), fold=False)]
    slowest, _ = cut([world.ranks[rank] for rank in world.slowest], rows["slowest"])
    ranks_table = table_lines(page, _rank_columns(recent), slowest, fold=False) if slowest else []
    pairs, _ = cut([pair for pair in world.pairs if pair.messages_per_second or not recent], rows["pairs"])
    pairs_table = table_lines(page, _pair_columns(pairs, recent), pairs, fold=False) if pairs else []
    below = _beside(page, ranks_table, pairs_table)
    return [*lines, *([Text()] if below else []), *below]


def _ordered(world: WorldPicture) -> Sequence[PlaceRow]:
    """Return the places; if a job seems to hang, the rare ones first: the others wait for them."""
    if world.quiet_seconds is None or world.quiet_seconds < QUIET_S:
        return world.places
    return sorted(world.places, key=lambda place: (place.count, place.state == _INSIDE))


def _beside(page: Page, left: list[Text], right: list[Text]) -> list[Text]:
    """Return two tables side by side if they fit, else one above the other."""
    if not left or not right:
        return left or right
    width = max(line.cell_len for line in left) + 2 * len(_APART)
    if width + max(line.cell_len for line in right) > page.width:
        return [*left, Text(), *right]
    lines = []
    for line, other in zip_longest(left, right, fillvalue=Text()):
        lines.append(line + Text(" " * (width - line.cell_len)) + other if other else line)
    return lines


def _activity_columns(head: str, recent: bool) -> list[TextColumn[Activity]]:
    columns: list[TextColumn[Activity]] = [label(head, lambda row: _name(head, row))]
    if recent:
        columns += [
            number("calls/s", lambda row: row.calls_per_second, rate_text),
            number("sent/s", lambda row: row.bytes_sent_per_second, _volume),
            number("% of run", lambda row: row.percent_of_run, percent_text),
        ]
    columns.append(number("from start", lambda row: row.percent_of_run_from_start, percent_text))
    columns.append(
        label("top call" if head == "communicator" else "mostly on", lambda row: call_name(row.top or "-"))
    )
    return columns


def _name(head: str, row: Activity) -> str:
    name = row.name if head == "communicator" else call_name(row.name)
    return f'{name} "{row.user_name}"' if row.user_name else name


def _rank_columns(recent: bool) -> list[TextColumn[Rank]]:
    columns: list[TextColumn[Rank]] = [TextColumn("slowest ranks", lambda row: f"{row.rank} ({row.host})")]
    if recent:
        columns.append(_number("% in MPI", lambda row: percent_text(row.percent_in_mpi)))
    columns.append(_number("from start", lambda row: percent_text(row.percent_in_mpi_from_start)))
    return columns


def _pair_columns(pairs: Sequence[Pair], recent: bool) -> list[TextColumn[Pair]]:
    columns: list[TextColumn[Pair]] = [
        TextColumn("hottest pairs", lambda row: f"{row.source} -> {row.destination}")
    ]
    if len({pair.kind for pair in pairs}) > 1:
        columns.append(TextColumn("kind", lambda row: row.kind))
    if recent:
        columns += [
            _number("messages/s", lambda row: rate_text(row.messages_per_second)),
            _number("bytes/s", lambda row: byte_rate_text(row.bytes_per_second)),
        ]
    else:
        columns.append(_number("bytes", lambda row: byte_text(row.bytes_from_start)))
    return columns


def _volume(rate: float) -> str:
    return byte_rate_text(rate) if rate else "-"


def _number(head: str, cell: Any) -> TextColumn[Any]:
    return TextColumn(head, cell, right=True)
