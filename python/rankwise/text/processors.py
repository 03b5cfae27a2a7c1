"""The state of the processors in words: one wording for all screens."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rankwise.analysis.nodes.processors import ALL_BUSY, LEAST_WAIT, Preempted, Sharing, Shortages
from rankwise.profile.join.members import compact
from rankwise.text.units import percent_text, rate_text

_MOST_RANKS = 4


def shortage_fields(found: Shortages, said: Collection[str] = ()) -> list[str]:
    """Return what a summary says of ranks that had no processors.

    Args:
        found: where they had none.
        said: rules whose findings stand beside it, and say the same.
    """
    fields = []
    rules = {"oversubscribed" if one.is_of_node else "badly-bound" for one in found.sharing}
    if rules and not rules <= {*said}:
        fields.append(all_sharing_text(found.sharing))
    if found.preempted and "preempted" not in said:
        fields.append(preempted_text(found.preempted))
    if found.yielding:
        rate = rate_text(found.yields_per_second)
        fields.append(f"{_ranks(found.yielding)}: often yielding ({rate}/s on average)")
    return fields


def lacking_text(found: Shortages) -> str:
    """Return where ranks lacked processors, and were late for that, sentences without their full stop."""
    sharing = [one for one in found.sharing if one.matters]
    texts = [all_sharing_text(sharing)] if sharing else []
    return "; ".join([*texts, *([preempted_text(found.preempted)] if found.preempted else [])])


def all_sharing_text(some: Sequence[Sharing]) -> str:
    """Return what ranks share, and what came of it, the worst first; a sentence without its full stop."""
    worst, *more = some
    if not more:
        return sharing_text(worst)
    nodes = all(one.is_of_node for one in some)
    others = f"on {len(more)} more" if nodes else f"for {len(more)} more (ranks {_all(some)} in total)"
    return f"{sharing_text(worst)}; the same {others}"


def sharing_text(one: Sharing) -> str:
    """Return what ranks share, and what came of it, a sentence without its full stop."""
    free = f"; {one.free} other{'s have' if one.free > 1 else ' has'} no rank" if one.free else ""
    them = "them" if one.processors > 1 else "it"
    others = f"; other processes used {100 * one.others:.0f} % of {them}" if one.others else ""
    return f"{one.what}{_effect(one)}{free}{others}"


def why_sure(one: Sharing) -> str:
    """Return how sure what they lost is, a sentence without its full stop."""
    if one.waited is not None:
        return "the kernel reports how long threads were ready but had no processor"
    if not one.used_seconds:
        return "it is unknown how much the ranks used these processors"
    return f"the ranks used {100 * one.busy:.0f} % of these processors"


def preempted_text(one: Preempted) -> str:
    """Return who had no processor, and for how long, a sentence without its full stop."""
    who = _ranks(sorted(one.ranks))
    if one.is_exact and one.lost_seconds is not None:
        share = percent_text(100 * one.lost_seconds / one.run_seconds)
        verb = "were" if len(one.ranks) > 1 else "was"
        return f"{who} {verb} ready but had no processor for {share} % of the run"
    return f"{who}: often preempted ({rate_text(one.mean_switches_per_second)}/s on average over all ranks)"


def _effect(one: Sharing) -> str:
    if one.waited is None:
        return ": time slicing" if one.busy >= ALL_BUSY else ""
    if one.waited < LEAST_WAIT:
        return ": hardly ever without a processor"
    return f": without a processor for {percent_text(100 * one.waited)} % of the run"


def _all(some: Sequence[Sharing]) -> str:
    return compact(sorted({rank for one in some for rank in one.ranks}))


def _ranks(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    listed = compact(sorted(ranks))
    return f"ranks {listed}" if listed.count(",") < _MOST_RANKS else f"{len(ranks)} ranks"
