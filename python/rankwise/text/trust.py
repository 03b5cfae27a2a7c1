"""How far the numbers can be trusted, in one or two lines."""

from __future__ import annotations

from rankwise.analysis.calls.bins import bin_range
from rankwise.analysis.overview import Trust
from rankwise.analysis.selection import Selected
from rankwise.text.names import call_name
from rankwise.text.units import bin_text, byte_text, count_text, percent_text, second_text

_LAST = 64  # size bin
_MUCH_COST = 1.0  # percent of the wall time
_SHOWN_NAMES = 3  # of procedures that are not covered


def partial_line(trust: Trust) -> str:
    """Return `PARTIAL: ` and why."""
    return f"PARTIAL: {trust.partial_reason or 'not every rank finished MPI_Finalize'}"


def coverage_fields(trust: Trust, verbose: bool) -> list[str]:
    """Return recorded ranks, dropped records, and uncovered calls; with `verbose` all by name."""
    dropped = f"{count_text(trust.dropped_records)} records dropped"
    if verbose and trust.dropped:
        each = (f"{what.replace('_', ' ')} {count_text(count)}" for what, count in trust.dropped.items())
        dropped += f" ({', '.join(each)})"
    return [
        f"{trust.ranks_seen}/{trust.ranks_expected} ranks",
        dropped,
        f"not covered: {_not_covered(trust, verbose)}",
    ]


def trouble_fields(trust: Trust) -> list[str]:
    """Return the facts that make the numbers less certain."""
    ranks, dropped, not_covered = coverage_fields(trust, verbose=False)
    lacking = {
        ranks: trust.ranks_seen < trust.ranks_expected,
        dropped: trust.dropped_records > 0,
        not_covered: trust.not_covered is None or bool(trust.not_covered),
        cost_line(trust): trust.overhead_percent_of_wall >= _MUCH_COST,
    }
    return [text for text, is_trouble in lacking.items() if is_trouble]


def cost_line(trust: Trust) -> str:
    """Return what Rankwise itself took."""
    share = percent_text(trust.overhead_percent_of_wall, decimals=2)
    setup, call = trust.setup_overhead_seconds_per_rank, trust.own_seconds_per_call
    calls = "" if call is None else f"{count_text(trust.own_calls_per_rank)} calls x {second_text(call)} + "
    return f"own cost {share} % of wall (a rank: {calls}set-up {second_text(setup)})"


def memory_line(trust: Trust) -> str:
    """Return whose counters were not where they are as a rule, '' if all were there."""
    others = trust.memory.get("tmpdir", 0)
    if not others:
        return ""
    return f"counters of {count_text(others)} rank{'s' * (others != 1)} in TMPDIR: /dev/shm had no room"


def warnings(trust: Trust) -> list[str]:
    """Return the profile's warnings, and what a reader must know to read the shares."""
    if trust.threads <= 1:
        return trust.warnings
    threads = f"up to {trust.threads} threads of a rank called MPI: their times in MPI are added up"
    return [*trust.warnings, f"{threads}; 100 % of the run means that all of them are in MPI all the time"]


def _not_covered(trust: Trust, verbose: bool) -> str:
    if trust.not_covered is None:
        return "unknown (linked statically)"
    names = trust.not_covered if verbose else trust.not_covered[:_SHOWN_NAMES]
    n_more = len(trust.not_covered) - len(names)
    return ", ".join(map(call_name, names)) + (f" and {n_more} more" if n_more else "") or "none"


def selected_line(part: Selected) -> str:
    """Return the selected part, and its size."""
    return f"Only {selected_text(part)}. Totals and shares are of this part."


def selected_text(part: Selected) -> str:
    """Return the selected part and its size, without a sentence around it."""
    named = {
        "communicator": part.communicator,
        "rank": part.rank,
        "call": part.call,
        "region": part.region,
        "node": part.node,
        "size": _sizes(*part.size_bins) if part.size_bins else "",
    }
    chosen = [f"{_named(what, text)} {text}" for what, text in named.items() if text]
    if part.spans:
        chosen.append(f"communicators that span {part.spans} node{'s' * (part.spans != '1')}")
    share = f"{percent_text(part.percent_of_mpi)} % of the run's time in MPI"
    return f"{', '.join(chosen)}: {share}"


def _named(what: str, text: str) -> str:
    """Return the word for the selection: `rank` for `7`, `ranks` for `0-3` and `0,7`."""
    several = "," in text or (what == "rank" and "-" in text)
    return f"{what}{'s' * several}"


def _sizes(first: int, last: int) -> str:
    if first == last:
        return bin_text(first)
    (low, _), (_, high) = bin_range(first), bin_range(last)
    return f"from {byte_text(low or 0)}" + (
        f" to below {byte_text(high + 1)}" if high and last < _LAST else ""
    )
