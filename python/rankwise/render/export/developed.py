"""A history as pipelines show it."""

from __future__ import annotations

from rankwise.render.export.pipeline import Case, Outcome
from rankwise.runs.history import History, HistoryChange
from rankwise.text.units import second_text
from rankwise.views.comparison.sentences import NAMES, percent_change_text
from rankwise.views.runs.chosen import configuration_line
from rankwise.views.runs.history import causes_text, point_name, rule_line, title

_WALL = "wall"


def outcome_of(history: History, gate: str, *, failed: bool) -> Outcome:
    """Return a history for pipelines.

    Args:
        history: with all its changes.
        gate: the sentence on the gate, '' = no gate.
        failed: whether the newest change is to the worse by more than the gate allows.
    """
    newest_first = history.changes[::-1]
    newest = newest_first[0] if newest_first else None
    last = history.chosen.runs[-1] if history.chosen.runs else None
    return Outcome(
        verb="history",
        done="history",
        title=title(history),
        gate=gate,
        failed=failed,
        heads=("since", "wall before", "after", "%", "explained by"),
        rows=[_row(history, change) for change in newest_first],
        lists=[],
        foot=[configuration_line(history.chosen), rule_line(history)],
        cases=[
            Case(
                NAMES[_WALL],
                _values(newest) if newest else title(history),
                failed=failed,
            )
        ],
        issues=[],
        metric=_WALL,
        program=last.programs if last else [],
        profile=history.points[newest.after].profiles[0] if newest else str(last.path if last else ""),
        badge=(NAMES[_WALL], f"{_percent(newest)} %" if newest else "no change" if history.is_known else "-"),
        is_known=history.is_known,
    )


def _row(history: History, change: HistoryChange) -> list[str]:
    wall = change.wall
    name = point_name(history, change.after)
    return [name, second_text(wall.before), second_text(wall.after), _percent(change), causes_text(change)]


def _values(change: HistoryChange) -> str:
    return f"{second_text(change.wall.before)} to {second_text(change.wall.after)} ({_percent(change)} %)"


def _percent(change: HistoryChange) -> str:
    return "-" if change.wall.percent is None else percent_change_text(change.wall.percent)
