"""The foot of the summary: the ranks that stand out, what leaves the nodes, and what to type next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from rankwise.analysis.families import Family
from rankwise.analysis.files import FileTotals
from rankwise.analysis.inside_totals import InsideTotals
from rankwise.analysis.locality import Locality
from rankwise.analysis.next_step import NextStep, next_step
from rankwise.analysis.summary import Summary
from rankwise.analysis.times import RankTime, Times
from rankwise.analysis.waiting_totals import MessageTotals, WaitingTotals
from rankwise.findings.search import Findings
from rankwise.report.counter_lines import counter_fields
from rankwise.report.names import shown_path
from rankwise.report.terminal.explain import summary_lines
from rankwise.report.terminal.page import Page
from rankwise.report.units import byte_text, count_text, percent_text, second_text

_LABEL = 10  # columns
_APART = "   "
_LEAST_PERCENT = 1.0  # of the time in MPI, for a field on messages
_MUCH_PERCENT = 10.0  # likewise, for one on what is not known


def foot_lines(
    page: Page, found: Summary, told: Findings, path: Path, *, short: bool = False, verbose: bool = False
) -> list[Text]:
    """Return the lines that have something to say, findings, and at the end the command to type next.

    Of a partial run the findings are left out, unless it is verbose: it is more important what was lost.

    Args:
        page: that they are made for.
        found: what to show.
        told: what rules have found.
        path: of the profile.
        short: without the line on messages inside collectives.
        verbose: nothing is cut or left out.
    """
    locality, leaves = found.locality, found.run.nodes > 1 or found.locality.bytes_unplaced
    shown = told.in_summary if found.trust.complete or verbose else ()
    step = next_step(found)
    if shown:
        step = NextStep("explain", (), "evidence and formulas of all findings")
    return [
        *(_labelled(page, "in MPI", *_extremes(found.times)) if found.run.ranks > 1 else []),
        *(_labelled(page, "waiting", *waiting) if (waiting := _waiting(found)) else []),
        *(_labelled(page, "off node", _off_node(locality)) if leaves else []),
        *([_inside(page, found.inside, found.run.nodes)] if found.inside and not short else []),
        *(_labelled(page, "system", *counters) if (counters := counter_fields(found.counters)) else []),
        *(_labelled(page, "files", *_files(found.files)) if found.files else []),
        *(_labelled(page, "reordered", _reordered(found.families)) if _any_reordered(found.families) else []),
        *summary_lines(page, shown, found.run, path),
        _next(page, step, path),
    ]


def _next(page: Page, step: NextStep, path: Path) -> Text:
    """Return the command, never broken because it is there to be copied, and why where there is room."""
    words = ["rankwise", step.verb, shown_path(path), *step.options]
    command = page.text(f"{'next:':{_LABEL}}{' '.join(words)}")
    why = page.text(f"{_APART}# {step.why}", "dim")
    return command + why if command.cell_len + why.cell_len <= page.width else command


def _labelled(page: Page, label: str, *fields: str) -> list[Text]:
    first, *more = fields
    return page.joined([f"{label:{_LABEL}}{first}", *more], _APART, indent=_LABEL)


def _extremes(times: Times) -> list[str]:
    if times.most_in_mpi is None or times.least_in_mpi is None:
        return ["no rank's counters could be read"]
    return [f"most {_rank(times.most_in_mpi)}", f"least {_rank(times.least_in_mpi)}"]


def _waiting(found: Summary) -> list[str]:
    fields = []
    if totals := found.waiting:
        late = _late("at collectives", totals.percent_waiting_of_mpi, totals)
        fields += [late, f"transfer in them {percent_text(totals.percent_transfer_of_mpi)} %"]
        fields += _not_known(totals, "")
    if messages := found.messages:
        if messages.percent_waiting_of_mpi >= _LEAST_PERCENT:
            fields.append(_late("for messages", messages.percent_waiting_of_mpi, messages))
        fields += _not_known(messages, ", for messages")
    return fields


def _not_known(totals: WaitingTotals | MessageTotals, what: str) -> list[str]:
    share = totals.percent_not_known_of_mpi
    return [f"not known of {percent_text(share)} % of MPI{what}"] if share >= _MUCH_PERCENT else []


def _late(what: str, percent: float, totals: WaitingTotals | MessageTotals) -> str:
    share = f"{percent_text(percent)} % of MPI, for ranks late {what}"
    if totals.rank is None:
        return share
    return f"{share} ({percent_text(totals.percent_for_rank)} % for rank {totals.rank} on {totals.host})"


def _rank(time: RankTime) -> str:
    return f"rank {time.rank} ({time.host}) {second_text(time.seconds)}"


def _files(totals: FileTotals) -> list[str]:
    moved = f"{byte_text(totals.bytes_read)} read, {byte_text(totals.bytes_written)} written"
    number = f"{count_text(totals.files)} file{'s' * (totals.files != 1)}"
    return [moved, number, f"{second_text(totals.seconds)} over all ranks"]


def _any_reordered(families: Sequence[Family]) -> bool:
    return any(family.reordered for family in families)


def _reordered(families: Sequence[Family]) -> str:
    """Say how many of the communicators that the program lets be reordered have got another order."""
    asked = sum(family.reorder for family in families)
    done = sum(family.reordered for family in families)
    return f"{count_text(done)} of {count_text(asked)} communicators that allow it, to suit the machine"


def _inside(page: Page, totals: InsideTotals, nodes: int) -> Text:
    """Return one line, whatever there is to say: --by collective tells it in full."""
    seen = f"{count_text(totals.messages)} messages inside collectives, {byte_text(totals.bytes)}"
    share = f"{percent_text(totals.off_node_percent_of_bytes)} % off node" if nodes > 1 else ""
    silent = f"{totals.not_visible} of {totals.collectives} not visible" if totals.not_visible else ""
    partly = f"{totals.visible_in_part} in part" if totals.visible_in_part else ""
    told = (
        ", ".join(filter(None, (seen, share, silent, partly)))
        if totals.messages
        else f"collectives: {totals.why}"
    )
    return page.shortened(page.text(f"{'inside':{_LABEL}}{told}"), page.width)


def _off_node(locality: Locality) -> str:
    total = locality.bytes_on_node + locality.bytes_off_node + locality.bytes_unplaced
    if not locality.messages:
        return "unknown: the program sends no messages of its own"
    share = percent_text(locality.off_node_percent_of_message_bytes)
    kinds = " and ".join(locality.kinds)
    unplaced = f"; {byte_text(locality.bytes_unplaced)} to unknown places" if locality.bytes_unplaced else ""
    return f"{share} % of the {byte_text(total)} of {kinds} bytes{unplaced}"
