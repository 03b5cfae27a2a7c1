"""The sentences about scaling: the runs, what stops scaling, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.analysis.nodes.processors import MUCH_WAIT
from rankwise.runs.models import CONFIDENCE, LEAST_VALUES, Prediction
from rankwise.runs.scaling import Scaling
from rankwise.runs.scaling_factors import Factors
from rankwise.runs.scaling_noise import ASSUMED
from rankwise.runs.scaling_rows import LEAST_LOST_PERCENT, OUTSIDE, Row
from rankwise.runs.scaling_shortage import Shortage
from rankwise.text.names import call_name, quoted_name
from rankwise.text.units import number_of, percent_text, ratio_text, share_error_text
from rankwise.views.runs.model_text import exponent_text

_FACTORS = {
    "load_balance": "load balance",
    "serialisation": "serialisation",
    "transfer": "transfer",
    "communication": "communication efficiency",
    "computation": "computation scalability",
}
_MUCH_LOST = 0.95  # of the factor at the reference: one that is below is worth a word
_ALMOST_ALL = 0.9  # of the wall time: with less between MPI_Init and MPI_Finalize, a line says so
_TEN = 10.0  # percent: from here on without decimals


def head_lines(scaling: Scaling) -> list[str]:
    """Return which runs are compared, and the kind of scaling."""
    factors = scaling.factors
    runs = sum(each.runs for each in factors)
    sure = "given" if scaling.kind.given else "found"
    value = scaling.parameter_value
    fields = [
        scaling.program,
        scaling.mpi_library,
        f"{factors[0].ranks} to {scaling.most_ranks} ranks",
        f"{scaling.parameter}={value:g}" if value is not None else "",
        number_of(runs, "run"),
    ]
    kind = scaling.kind
    processors = ", as far as they had a processor," if kind.without_waiting else ""
    return [
        "  ".join(filter(None, fields)),
        f"{kind.kind.capitalize()} scaling ({sure}): with {kind.ranks_ratio:.3g} x the ranks, the useful "
        f"time of all ranks together{processors} is {kind.useful_ratio:.3g} x as long.",
    ]


def warning_lines(scaling: Scaling) -> list[str]:
    """Return what makes the comparison harder."""
    lines = []
    if scaling.different_arguments:
        ranks = ", ".join(map(str, scaling.different_arguments))
        lines.append(f"runs with {ranks} ranks have different arguments, and are taken together")
    lines += _shortage_lines(scaling)
    last = scaling.factors[-1]
    if last.run_seconds < _ALMOST_ALL * last.wall_seconds:
        share = percent_text(100 * (1 - last.run_seconds / last.wall_seconds), decimals=0)
        lines.append(
            f"with {last.ranks} ranks, MPI_Init and MPI_Finalize take {share} % of the wall time: no factor "
            "includes them"
        )
    return lines


def _shortage_lines(scaling: Scaling) -> list[str]:
    """Return with how many ranks too few processors made times longer, and why they were too few."""
    short = [each for each in scaling.factors if each.without_processor_percent >= 100 * MUCH_WAIT]
    whys = []
    for crowded, why in (
        (True, "they share too few processors"),
        (False, "other processes use the processors"),
    ):
        ranks = [str(each.ranks) for each in short if each.crowded == crowded]
        whys += [f"with {', '.join(ranks)} ranks, {why}"] if ranks else []
    return [f"{', and '.join(whys)}: all times include waiting for a processor"] if whys else []


def title(scaling: Scaling) -> str:
    """Return what stops scaling, and the efficiency, without the last full stop."""
    sentences = [_row_sentence(scaling), _efficiency_sentence(scaling)]
    if scaling.shortage and scaling.shortage.explains:
        sentences = [*_shortage_sentences(scaling, scaling.shortage), sentences[1]]
    return ". ".join(sentences)


def _most_lost(scaling: Scaling) -> Row:
    return max(scaling.rows[scaling.by], key=lambda row: (row.since is not None, row.lost_percent[-1]))


def _shortage_sentences(scaling: Scaling, shortage: Shortage) -> list[str]:
    """Return that the processors limit scaling, and that nothing is known about the program."""
    most = _most_lost(scaling)
    up_to = "" if shortage.is_exact else "up to "
    there = f"{_percent_text(shortage.reference_percent)} % at {number_of(scaling.reference, 'rank')}"
    return [
        f"The processors limit scaling: at {scaling.most_ranks} ranks, ranks were ready but had no processor "
        f"for {up_to}{_percent_text(shortage.percent)} % of the run, {there}",
        f"These runs do not show what in the program stops scaling: {_cure(shortage)}",
        f"{row_name(most)} loses most, {_percent_text(most.lost_percent[-1])} % of the run, at least partly "
        "for lack of processors",
    ]


def _cure(shortage: Shortage) -> str:
    with_these = "as many processors as ranks" if shortage.crowded else "processors that nothing else uses"
    return f"record it with {with_these}"


def _row_sentence(scaling: Scaling) -> str:
    most = _most_lost(scaling)
    ranks, reference = scaling.most_ranks, scaling.reference
    first = most.percent_of_run[[each.ranks for each in scaling.factors].index(reference)]
    if most.since is None:
        what = {"region": "region", "site": "call site"}.get(scaling.by, "call")
        if most.lost_percent[-1] < LEAST_LOST_PERCENT:
            return (
                f"No {what} stops scaling: none loses {LEAST_LOST_PERCENT:.0f} % of the run at {ranks} ranks"
            )
        return (
            f"No {what} surely stops scaling: {row_name(most)} loses most, "
            f"{_percent_text(most.lost_percent[-1])} % of the run at {ranks} ranks, but runs scatter by more"
        )
    share = share_text(most.percent_of_run[-1], most.plus_minus_percent)
    there = f"{f'{_percent_text(first)} %' if first else 'none'} at {number_of(reference, 'rank')}"
    takes = f"at {ranks} ranks it takes {share} % of the run, {there}"
    lost = _percent_text(most.lost_percent[-1])
    name = row_name(most)
    if most.state == "stops":
        text = f"{name} stops scaling from {most.since} ranks on: {takes}"
        if most.ratio is None:
            text = f"{name} loses most, from {most.since} ranks on: {takes}"
        if most.outside:
            text = (
                f"{name} stops scaling from {most.since} ranks on: at {ranks} ranks it takes "
                f"{ratio_text(most.ratio or 0.0)} x the ideal time, which loses {lost} % of the run"
            )
    else:
        more = 100 * ((most.ratio or 1.0) - 1)
        text = (
            f"{name} scales worst: at {ranks} ranks it takes {more:.0f} % more time than the ideal, which "
            f"loses {lost} % of the run"
        )
    if most.bytes_grow and most.bytes_exponent is not None:
        text += f"; its bytes per rank grow as {exponent_text(most.bytes_exponent)} (p: ranks)"
    return text


def _efficiency_sentence(scaling: Scaling) -> str:
    last, reference = scaling.factors[-1], _at_reference(scaling)
    text = (
        f"At {last.ranks} ranks the speed-up is {ratio_text(last.speedup)} of "
        f"{ratio_text(last.ideal_speedup)}, and the global efficiency {ratio_text(last.global_efficiency)}, "
        f"{ratio_text(reference.global_efficiency)} at {reference.ranks}"
    )
    name, ratio = _worst_factor(last, reference)
    if ratio < _MUCH_LOST and not (scaling.shortage and scaling.shortage.explains):
        there, here = (ratio_text(getattr(each, name)) for each in (reference, last))
        text += f"; {_FACTORS[name]} falls most, from {there} to {here}"
    return text


def _worst_factor(last: Factors, reference: Factors) -> tuple[str, float]:
    """Return the factor that falls most, and its ratio."""
    names = ["load_balance", "communication", "computation"]
    if None not in (last.serialisation, last.transfer, reference.serialisation, reference.transfer):
        names[1:2] = ["serialisation", "transfer"]
    ratios = {
        name: getattr(last, name) / getattr(reference, name) for name in names if getattr(reference, name) > 0
    }
    return min(ratios.items(), key=lambda item: item[1])


def _at_reference(scaling: Scaling) -> Factors:
    return next(each for each in scaling.factors if each.ranks == scaling.reference)


def row_name(row: Row) -> str:
    """Return the name of a row within a sentence: `Alltoall on W_s1`."""
    if row.outside:
        return "Time outside of MPI"
    if row.site:  # without debug information it is a library, and the function says more
        place = f"in {row.function}" if row.function and ":" not in row.site else f"at {row.site}"
        return f"{call_name(row.call)} {place}"
    if row.communicator:
        communicator = quoted_name(row.communicator, row.user_name)
        return f"{call_name(row.call)} on {communicator}" if row.call else communicator
    if row.call:
        return call_name(row.call)
    return f"MPI in the region {row.region}" if row.region else "MPI outside of regions"


def outside_name(row: Row, name: str) -> str:
    """Return what a table shows in its first column."""
    return OUTSIDE if row.outside else name


def share_text(percent: float, plus_minus: float | None) -> str:
    """Return a share with its error: `38 +- 2`, `88 (66 to 100)`, `4.2`."""
    text = _percent_text(percent)
    if plus_minus is None:
        return text
    return text + share_error_text(percent, percent - plus_minus, percent + plus_minus, _decimals(percent))


def _percent_text(percent: float) -> str:
    return percent_text(percent, _decimals(percent))


def _decimals(percent: float) -> int:
    return 0 if percent >= _TEN else 1


def range_text(prediction: Prediction, text: Callable[[float], str]) -> str:
    """Return the interval of a prediction, each end as `text` writes it."""
    return f"{text(prediction.low)} to {text(prediction.high)}"


def unsplit_notes(factors: Sequence[Factors]) -> list[str]:
    """Return why the factors of communication efficiency are unknown with some numbers of ranks."""
    without = [each for each in factors if each.serialisation is None]
    if not without:
        return []
    where, last = "", without[-1]
    if len(without) < len(factors):
        numbers = ", ".join(str(each.ranks) for each in without)
        where = f" with {numbers} rank{'s' * (numbers != '1')}"
    why = f" ({last.ranks} ranks)" if len(without) > 1 else ""
    return [f"Serialisation and transfer are unknown{where}: {last.why_no_split}{why}."]


def row_notes(scaling: Scaling) -> list[str]:
    """Return the sentences below the table of rows."""
    divided = " / ratio of the ranks" if scaling.kind.kind == "strong" else ""
    notes = [
        "Times are means per rank, and include waiting for other ranks. "
        f"Ideal: time at {number_of(scaling.reference, 'rank')}{divided}."
    ]
    if any(row.plus_minus_percent is not None for row in scaling.rows[scaling.by]):
        notes.append("+-: 95 % interval by the scatter of runs with the same number of ranks.")
    else:
        notes.append(f"One run each: noise is unknown, and {100 * ASSUMED:.0f} % are assumed.")
    if any(row.bytes_grow for row in scaling.rows[scaling.by]):
        notes.append(
            "*: bytes per rank grow with the ranks; in an exchange with a fixed number of neighbours they "
            + ("fall." if scaling.kind.kind == "strong" else "are constant.")
        )
    if not scaling.can_predict:
        notes.append(f"{_why_no_models(scaling)}.")
    return notes


def _why_no_models(scaling: Scaling) -> str:
    if scaling.shortage and scaling.shortage.explains:
        return "There are no models: they would be of runs that lack processors"
    of = f" and {LEAST_VALUES} values of {scaling.parameter}" if scaling.parameter else ""
    return f"Models need at least {LEAST_VALUES} numbers of ranks above 1{of}"


def prediction_notes(scaling: Scaling) -> list[str]:
    """Return the sentences below the table of predictions."""
    measured = f"{scaling.factors[0].ranks} to {scaling.most_ranks} ranks"
    return [
        f"Extrapolated by models of the runs with {measured}; p: number of ranks. Interval: "
        f"{100 * CONFIDENCE:.0f} %, of all models that fit about as well, if the measured growth goes on."
    ]


def prediction_title(scaling: Scaling) -> str:
    """Return the heading of the predictions."""
    return f"With {scaling.at} ranks{_of_parameter(scaling)}"


def _of_parameter(scaling: Scaling) -> str:
    return f", and the largest {scaling.parameter}" if scaling.parameter else ""


def no_prediction(scaling: Scaling) -> str:
    """Return why nothing is predicted."""
    cure = "add runs with other numbers of ranks"
    if scaling.shortage and scaling.shortage.explains:
        cure = _cure(scaling.shortage)
    return f"{_why_no_models(scaling)}: {cure}."
