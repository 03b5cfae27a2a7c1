"""Texts on the links of a network in the phases of a run."""

from __future__ import annotations

from typing import Any

from rankwise.network.job.phases import (
    COUNTED_BYTES,
    COUNTED_MESSAGES,
    NOT_KNOWN,
    SAMPLED_CALLS,
    SAMPLED_MESSAGES,
)
from rankwise.network.phases import LoadsByPhase, LoadsOfPhase, PhaseLink
from rankwise.records import dataclass
from rankwise.text.units import percent_text, second_text
from rankwise.views.links.data import share_data
from rankwise.views.links.rows import causes_text, link_text
from rankwise.views.links.verdict import as_far_as_known, busiest_phase, share_sentence, too_few_known
from rankwise.views.view import (
    BYTES,
    COUNT,
    NAME,
    NUMBER,
    PERCENT,
    RATIO,
    SECONDS,
    TEXT,
    Column,
    Format,
    Table,
)

_INSTANT = Format("seconds", lambda seconds: second_text(seconds), "s", right=True)
_BASES = {
    SAMPLED_CALLS: "from the times of sampled calls of these collectives",
    SAMPLED_MESSAGES: "from the times of sampled messages between the same ranks",
    COUNTED_MESSAGES: "from the number of messages the sender started in each phase",
    COUNTED_BYTES: "from the bytes the sender sent in each phase",
    NOT_KNOWN: "at unknown times, in no phase",
}


@dataclass(frozen=True)
class HiddenRow:
    """A link that is hot in a phase, and not over the run."""

    phase: LoadsOfPhase
    link: PhaseLink


def _slowest(row: LoadsOfPhase) -> PhaseLink | None:
    return row.links[0] if row.links else None


def _of_slowest(row: LoadsOfPhase, value: str) -> Any:
    link = _slowest(row)
    return None if link is None else getattr(link.hot.load, value)


_PHASES: list[Column[LoadsOfPhase]] = [
    Column("phase", lambda row: row.phase.number, NUMBER, "in order of time", obvious=True),
    Column("from", lambda row: row.phase.begin_seconds, _INSTANT, "after the start of the run", obvious=True),
    Column("length", lambda row: row.phase.seconds, SECONDS, "of the phase", obvious=True),
    Column("between hosts", lambda row: row.loads.between_hosts, BYTES, "in the phase", obvious=True),
    Column(
        "slowest link",
        lambda row: link_text(link.hot.load) if (link := _slowest(row)) else None,
        NAME,
        "between switches",
        obvious=True,
    ),
    Column("bytes", lambda row: _of_slowest(row, "bytes"), BYTES, "on it", obvious=True),
    Column(
        "x mean",
        lambda row: _of_slowest(row, "times_mean"),
        RATIO,
        "bytes relative to the mean of the used links of the class in the phase",
    ),
    Column("busy", lambda row: row.percent_of_phase, PERCENT, "its time at full rate, % of the phase"),
    Column(
        "hosts busy", lambda row: row.percent_of_hosts, PERCENT, "the same for the slowest link of a host"
    ),
    Column("hot", lambda row: row.hot, COUNT, "links between switches that take at least half as long"),
    Column("hidden", lambda row: row.hidden, COUNT, "of these, links that are not hot over the whole run"),
]
_HIDDEN: list[Column[HiddenRow]] = [
    Column("phase", lambda row: row.phase.phase.number, NUMBER, "as above", obvious=True),
    Column("link", lambda row: link_text(row.link.hot.load), NAME, "from and to", obvious=True),
    Column("bytes", lambda row: row.link.hot.load.bytes, BYTES, "on it in the phase", obvious=True),
    Column(
        "x mean",
        lambda row: row.link.hot.load.times_mean,
        RATIO,
        "bytes relative to the mean of the used links of the class in the phase",
    ),
    Column("% of run", lambda row: row.link.percent_of_run, PERCENT, "of its total", obvious=True),
    Column("hot in", lambda row: ", ".join(map(str, row.link.hot_in)), TEXT, "phases", obvious=True),
    Column(
        "caused by",
        lambda row: causes_text(row.link.hot),
        NAME,
        "calls, with their share of the bytes",
        obvious=True,
    ),
]


def phase_tables(loads: LoadsByPhase) -> list[Table]:
    """Return the phases, and the links that are hot in one of them and not over the run."""
    rows = [HiddenRow(*row) for row in loads.hidden]
    tables = [Table(_PHASES, loads.phases, "Nothing is known.", whole=True)]
    if rows:
        count = sum(each.hidden for each in loads.phases)
        first = f": {len(rows)} of {count}, --limit 0 shows all" if len(rows) < count else ""
        tables.append(Table(_HIDDEN, rows, "", title=f"Hot in a phase but not over the run{first}"))
    return tables


def phase_verdict(loads: LoadsByPhase) -> str:
    """Return whether phases show what the run does not, a sentence without its full stop."""
    known = as_far_as_known(loads.run.on_links, loads.run.between_hosts)
    if loads.run.between_hosts and not loads.run.on_links:
        return "Nothing is known: no bytes between hosts were assigned to links"
    if few := too_few_known(loads.run.on_links, loads.run.between_hosts):
        return f"Links that phases hide are unknown: {few}"
    if not any(each.links for each in loads.phases):
        return f"No data passes between switches{known}"
    phases = [each.phase.number for each in loads.phases if each.hidden]
    if not phases:
        return f"Links between switches that are hot in a phase are hot over the whole run, too{known}"
    several = loads.hidden_links > 1
    return (
        f"{loads.hidden_links} link{'s' * several} between switches {'are' if several else 'is'} hot in "
        f"phase{'s' * (len(phases) > 1)} {', '.join(map(str, phases))}, which sums over the run hide{known}"
    )


def phase_sentences(loads: LoadsByPhase) -> list[str]:
    """Return the network's share of the run, the total time of the phases, and how much of it is known."""
    said = [
        f"{sentence}."
        for sentence in (
            share_sentence(loads.share) if loads.share else "",
            busiest_phase(loads.run.fabric, loads.share),
        )
        if sentence
    ]
    if loads.seconds is not None and loads.run_seconds:
        said.append(
            f"At full rate the slowest links of the phases take {second_text(loads.seconds)} one after the"
            f" other; that of the sums over the run {second_text(loads.run_seconds)}."
        )
    whole = sum(int(size) for size in loads.flows.bytes.sum(axis=1))
    if whole:
        parts = [
            f"{percent_text(100 * size / whole)} % of the bytes {_BASES[basis]}"
            for basis, size in loads.flows.bytes_by_basis().items()
        ]
        said.append(f"The times of messages are estimated: {'; '.join(parts)}.")
    return said


def phase_data(loads: LoadsByPhase) -> dict[str, Any]:
    """Return all figures as `--json` prints them."""
    return {
        "bytes_by_basis": loads.flows.bytes_by_basis(),
        "bytes_in_no_phase": int(loads.flows.bytes[-1].sum()),
        "messages_in_no_phase": int(loads.flows.messages[-1].sum()),
        "seconds": loads.seconds,
        "run_seconds": loads.run_seconds,
        "network_share": share_data(loads.share),
        "hidden_links": loads.hidden_links,
        "phases": [
            {
                "number": each.phase.number,
                "begin_seconds": each.phase.begin_seconds,
                "end_seconds": each.phase.end_seconds,
                "bytes": int(loads.flows.bytes[at].sum()),
                "messages": int(loads.flows.messages[at].sum()),
                "bytes_on_links": each.loads.on_links,
                "seconds": each.seconds,
                "percent_busy": each.percent_of_phase,
                "host_seconds": each.host_seconds,
                "percent_hosts_busy": each.percent_of_hosts,
                "hot": each.hot,
                "hidden": each.hidden,
                "links": [_link_data(link) for link in each.links],
            }
            for at, each in enumerate(loads.phases)
        ],
    }


def _link_data(link: PhaseLink) -> dict[str, Any]:
    return {
        **vars(link.hot.load),
        "causes": link.hot.causes,
        "percent_of_run": link.percent_of_run,
        "is_hot": link.is_hot,
        "hot_in_run": link.hot_in_run,
        "hot_in": link.hot_in,
    }
