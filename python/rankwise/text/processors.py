"""The state of the processors in words: one wording for all screens."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.analysis.nodes.processors import ALL_BUSY, LEAST_WAIT, Preempted, Sharing, Shortages
from rankwise.profile.join.members import compact
from rankwise.text.units import percent_text, rate_text

_MOST_RANKS = 4


def shortage_fields(shortages: Shortages, said: Collection[str] = ()) -> list[str]:
    """Return what a summary says of ranks that had no processors.

    Args:
        shortages: ranks without enough processors.
        said: rules with findings shown next to it that say the same.
    """
    fields = []
    rules = {"oversubscribed" if sharing.is_of_node else "badly-bound" for sharing in shortages.sharing}
    if rules and not rules <= {*said}:
        fields.append(all_sharing_text(shortages.sharing))
    if shortages.preempted and "preempted" not in said:
        fields.append(preempted_text(shortages.preempted))
    if shortages.yielding:
        rate = rate_text(shortages.yields_per_second)
        fields.append(f"{_ranks(shortages.yielding)}: often yielding ({rate}/s on average)")
    return fields


def lacking_text(shortages: Shortages) -> str:
    """Return where ranks lacked processors, and were late for that, sentences without their full stop."""
    sharing = [sharing for sharing in shortages.sharing if sharing.matters]
    texts = [all_sharing_text(sharing)] if sharing else []
    return "; ".join([*texts, *([preempted_text(shortages.preempted)] if shortages.preempted else [])])


def all_sharing_text(some: Sequence[Sharing]) -> str:
    """Return what ranks share, and what came of it, the worst first; a sentence without its full stop."""
    worst, *more = some
    if not more:
        return sharing_text(worst)
    nodes = all(sharing.is_of_node for sharing in some)
    others = f"on {len(more)} more" if nodes else f"for {len(more)} more (ranks {_all(some)} in total)"
    return f"{sharing_text(worst)}; the same {others}"


def sharing_text(sharing: Sharing) -> str:
    """Return what ranks share, and what came of it, a sentence without its full stop."""
    free = f"; {sharing.free} other{'s have' if sharing.free > 1 else ' has'} no rank" if sharing.free else ""
    them = "them" if sharing.processors > 1 else "it"
    others = f"; other processes used {100 * sharing.others:.0f} % of {them}" if sharing.others else ""
    return f"{sharing.what}{_effect(sharing)}{free}{others}"


def why_sure(sharing: Sharing) -> str:
    """Return how sure what they lost is, a sentence without its full stop."""
    if sharing.waited is not None:
        return "the kernel reports how long threads were ready but had no processor"
    if not sharing.used_seconds:
        return "it is unknown how much the ranks used these processors"
    return f"the ranks used {100 * sharing.busy:.0f} % of these processors"


def preempted_text(preempted: Preempted) -> str:
    """Return who had no processor, and for how long, a sentence without its full stop."""
    who = _ranks(sorted(preempted.ranks))
    if preempted.is_exact and preempted.lost_seconds is not None:
        share = percent_text(100 * preempted.lost_seconds / preempted.run_seconds)
        verb = "were" if len(preempted.ranks) > 1 else "was"
        return f"{who} {verb} ready but had no processor for {share} % of the run"
    rate = rate_text(preempted.mean_switches_per_second)
    return f"{who}: often preempted ({rate}/s on average over all ranks)"


def _effect(sharing: Sharing) -> str:
    if sharing.waited is None:
        return ": time slicing" if sharing.busy >= ALL_BUSY else ""
    if sharing.waited < LEAST_WAIT:
        return ": hardly ever without a processor"
    return f": without a processor for {percent_text(100 * sharing.waited)} % of the run"


def _all(some: Sequence[Sharing]) -> str:
    return compact(sorted({rank for item in some for rank in item.ranks}))


def _ranks(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    listed = compact(sorted(ranks))
    return f"ranks {listed}" if listed.count(",") < _MOST_RANKS else f"{len(ranks)} ranks"
