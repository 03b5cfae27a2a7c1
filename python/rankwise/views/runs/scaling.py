"""Scaling as a view: POP's factors, what stops scaling, and predictions for other numbers of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rankwise.analysis.nodes.processors import LEAST_WAIT
from rankwise.runs.models import Fit, Model, Prediction
from rankwise.runs.scaling import PredictedRow, Scaling
from rankwise.runs.scaling_factors import NEARLY_1, Factors
from rankwise.runs.scaling_figures import NAMES_OF_KEYS
from rankwise.runs.scaling_rows import LEAST_LOST_PERCENT, STOPS_RATIO, Row
from rankwise.text.names import call_name, quoted_name
from rankwise.text.units import byte_text, number_of, percent_text, ratio_text, second_text
from rankwise.views.runs.model_text import exponent_text, form_text, model_text
from rankwise.views.runs.run_table import RunLine, runs_table
from rankwise.views.runs.scaling_sentences import (
    no_prediction,
    outside_name,
    prediction_notes,
    prediction_title,
    range_text,
    row_notes,
    share_text,
    title,
    unsplit_notes,
)
from rankwise.views.view import (
    BYTES,
    FIGURES,
    NUMBER,
    PERCENT,
    RATIO,
    SECONDS,
    TEXT,
    WORD,
    Column,
    Detail,
    Table,
    View,
    label,
)

_NO_CALLS = "No MPI call was recorded: only the time outside of MPI is known."
HEADINGS = {
    "communicator": "By communicator and call",
    "call": "By call",
    "region": "By region",
    "site": "By call site",
}
_LISTS = {"communicator": "communicator_calls", "call": "calls", "region": "regions", "site": "sites"}
"""Names of the lists of rows in the JSON."""


def view(scaling: Scaling) -> View:
    """Return scaling as tables, in verbose answers with more of them."""
    chosen = scaling.rows[scaling.by]
    tables = [_factors_table(scaling), _rows_table(scaling, scaling.by, Detail.ALL)]
    if scaling.at is not None:
        tables.append(_predicted_table(scaling))
    tables.append(_times_table(scaling, scaling.by, chosen))
    tables += [_rows_table(scaling, by, Detail.VERBOSE) for by in scaling.rows if by != scaling.by]
    return View(title(scaling), tables, _data(scaling))


def _factors_table(scaling: Scaling) -> Table:
    factors = scaling.factors
    # (Without processors, ranks neither wait nor transfer as they would.)
    split_detail = Detail.VERBOSE if scaling.shortage and scaling.shortage.explains else Detail.ALL

    def column(
        name: str, value: Callable[[Factors], float | None], meaning: str, *, detail: Detail = Detail.ALL
    ) -> Column[Factors]:
        return Column(name, value, RATIO, meaning, detail=detail)

    columns: list[Column[Factors]] = [
        label("ranks", lambda row: row.ranks, "number of ranks", kind=NUMBER),
        Column("nodes", lambda row: row.nodes, NUMBER, "number", obvious=True, detail=Detail.VERBOSE),
        Column("runs", lambda row: row.runs, NUMBER, "number of runs: the rest are medians", obvious=True),
        Column("wall", lambda row: row.wall_seconds, SECONDS, "time of the longest rank", obvious=True),
        Column("run", lambda row: row.run_seconds, SECONDS, "the same between MPI_Init and MPI_Finalize"),
        Column(
            "+- %",
            lambda row: row.run_plus_minus_percent,
            PERCENT,
            "95 % interval of run, by the scatter of all runs",
            detail=Detail.VERBOSE,
        ),
        Column(
            "speed-up",
            lambda row: f"{ratio_text(row.speedup)} of {row.ideal_speedup:.4g}",
            FIGURES,
            f"of run, against {number_of(scaling.reference, 'rank')}, and the ideal one"
            + ("; for work that grows with the ranks" if scaling.kind.kind == "weak" else ""),
        ),
        column("global", lambda row: row.global_efficiency, "global efficiency, parallel x compute"),
        column("parallel", lambda row: row.parallel, "parallel efficiency, balance x comm"),
        column("balance", lambda row: row.load_balance, "load balance"),
        column("comm", lambda row: row.communication, "communication efficiency, serial x transfer"),
        column(
            "serial",
            lambda row: row.serialisation,
            "serialisation, estimated for the median run",
            detail=split_detail,
        ),
        column(
            "transfer",
            lambda row: row.transfer,
            "transfer, estimated for the median run",
            detail=split_detail,
        ),
        column("compute", lambda row: row.computation, "computation scalability"),
        Column(
            "no proc.",
            lambda row: row.without_processor_percent,
            PERCENT,
            "percent of the run in which ranks were ready but had no processor",
        ),
        column("instr.", lambda row: row.instructions, f"instruction scalability; {_COUNTED}"),
        column(
            "IPC",
            lambda row: row.instructions_per_cycle,
            f"scalability of instructions per cycle; {_COUNTED}",
        ),
        column("freq.", lambda row: row.frequency, f"scalability of the processors' frequency; {_COUNTED}"),
    ]
    optional = {"+- %", "serial", "transfer", "instr.", "IPC", "freq."}
    hidden = {
        column.name
        for column in columns
        if column.name in optional and all(column.value(row) is None for row in factors)
    }
    if all(row.serialisation is None or row.communication >= NEARLY_1 for row in factors):
        hidden |= {"serial", "transfer"}
    notes = unsplit_notes(factors) if split_detail == Detail.ALL else []
    if all(row.without_processor_percent < 100 * LEAST_WAIT for row in factors):
        hidden.add("no proc.")
    elif not all(row.without_processor_is_exact for row in factors):
        notes.append("no proc. is an upper bound, as the kernel does not report it.")
    shown = [column for column in columns if column.name not in hidden]
    return Table(shown, factors, _NO_CALLS, notes=notes, whole=True)


_COUNTED = "counted also within MPI calls"


def _rows_table(scaling: Scaling, by: str, detail: Detail) -> Table:
    rows = scaling.rows[by]
    ranks = [each.ranks for each in scaling.factors]
    reference, last = ranks.index(scaling.reference), len(ranks) - 1

    def grows(row: Row) -> str:
        return " *" if row.bytes_grow else ""

    columns: list[Column[Row]] = [
        *name_columns(by),
        _time_at(f"at {ranks[reference]}", reference),
        _time_at(f"at {ranks[last]}", last),
        Column(
            "% of run",
            lambda row: share_text(row.percent_of_run[-1], row.plus_minus_percent),
            FIGURES,
            f"at {number_of(ranks[last], 'rank')}, of the time between MPI_Init and MPI_Finalize",
        ),
        Column(
            "lost, %",
            lambda row: row.lost_percent[-1],
            PERCENT,
            f"of the run at {ranks[last]} ranks, beyond the ideal; below 0 it scales better than ideally",
        ),
        Column(
            "stops",
            _stops,
            WORD,
            f"number of ranks from which on it surely loses {LEAST_LOST_PERCENT:.0f} % of the run or more, "
            f"and with {ranks[last]} takes {STOPS_RATIO:.1f} x the ideal time or more; (slower): less",
        ),
    ]
    names = _names(scaling)
    if scaling.can_predict and by == scaling.by:
        columns.append(
            Column(
                "time grows as",
                lambda row: form_text(row.seconds_fit.model, names) if row.seconds_fit else None,
                TEXT,
                "model of the time; p: number of ranks, c: constant",
            )
        )
    if any(row.bytes_exponent is not None for row in rows):
        columns.append(
            Column(
                "sent as",
                lambda row: None if row.bytes_exponent is None else exponent_text(row.bytes_exponent),
                WORD,
                "bytes per rank, as a power of p",
                mark=grows,
            )
        )
    return Table(
        columns,
        rows,
        _NO_CALLS,
        title=HEADINGS[by],
        notes=row_notes(scaling) if by == scaling.by else (),
        detail=detail,
    )


def _stops(row: Row) -> str | None:
    if row.since is None:
        return None
    return f"{row.since}" if row.state == "stops" else f"{row.since} (slower)"


def _time_at(name: str, number: int) -> Column[Row]:
    return Column(
        name,
        lambda row: row.seconds[number],
        SECONDS,
        "time with this number of ranks",
        obvious=True,
        total=lambda rows: sum(row.seconds[number] for row in rows),
    )


def _times_table(scaling: Scaling, by: str, rows: Sequence[Row]) -> Table:
    columns = [
        *name_columns(by),
        *(_time_at(f"{each.ranks}", number) for number, each in enumerate(scaling.factors)),
    ]
    return Table(columns, rows, _NO_CALLS, title="Time by number of ranks", detail=Detail.VERBOSE)


def runs(scaling: Scaling) -> Table:
    """Return the runs that are compared, as a table of the page."""
    lines = [
        RunLine(str(run.path), str(run.run.ranks), run.run.wall_seconds, run.run.started)
        for run in scaling.runs
    ]
    return runs_table("ranks", lines)


def name_columns(by: str) -> list[Column[Row]]:
    """Return the columns with the names of the rows."""
    values: dict[str, Callable[[Row], str]] = {
        "communicator": lambda row: quoted_name(row.communicator, row.user_name),
        "call": lambda row: call_name(row.call),
        "region": lambda row: row.region or "(outside)",
        "site": lambda row: row.site or "(not known)",
        "function": lambda row: row.function,
    }
    meanings = {
        "communicator": "family of communicators, all created the same way",
        "call": "MPI procedure, without MPI_",
        "region": "named by the program",
        "site": "file and line; without a line the program or library",
        "function": "that calls",
    }
    first, *more = NAMES_OF_KEYS[by]
    return [
        label(first, lambda row: outside_name(row, values[first](row)), meanings[first], choice=True),
        *(label(name, partial(_name_of, values[name]), meanings[name], choice=True) for name in more),
    ]


def _name_of(value: Callable[[Row], str], row: Row) -> str | None:
    return value(row) or None


def _predicted_table(scaling: Scaling) -> Table:
    names = _names(scaling)
    columns: list[Column[PredictedRow]] = []
    for number, column in enumerate(name_columns(scaling.by)):
        columns.append(
            label(
                column.name, partial(_predicted_label, column, first=not number), column.meaning, choice=True
            )
        )
    columns += [
        Column("time", lambda row: row.seconds.value, SECONDS, "mean per rank", obvious=True),
        Column("interval", lambda row: range_text(row.seconds, second_text), FIGURES, "of it", obvious=True),
        Column("% of run", lambda row: row.percent_of_run.value, PERCENT, "of all", obvious=True),
        Column(
            "its interval",
            lambda row: range_text(row.percent_of_run, percent_text) if row.row else None,
            FIGURES,
            "of it",
            obvious=True,
        ),
        Column("model", lambda row: _model_of(row, names), TEXT, "of the time", obvious=True),
    ]
    if any(row.bytes_sent for row in scaling.predicted):
        columns.append(
            Column(
                "sent",
                lambda row: row.bytes_sent.value if row.bytes_sent else None,
                BYTES,
                "per rank",
                obvious=True,
            )
        )
    return Table(
        columns,
        scaling.predicted,
        no_prediction(scaling),
        title=prediction_title(scaling),
        notes=prediction_notes(scaling),
    )


def _model_of(row: PredictedRow, names: Sequence[str]) -> str | None:
    fitted = row.row.seconds_fit if row.row else None
    return model_text(fitted.model, names, second_text) if fitted else None


def _predicted_label(column: Column[Row], row: PredictedRow, *, first: bool) -> str | None:
    if row.row is None:
        return "all" if first else None
    value = column.value(row.row)
    return None if value is None else str(value)


def _names(scaling: Scaling) -> list[str]:
    return ["p", scaling.parameter] if scaling.parameter else ["p"]


def _data(scaling: Scaling) -> dict[str, object]:
    """Return what `--json` prints."""
    names = _names(scaling)
    return {
        "program": scaling.program,
        "mpi_library": scaling.mpi_library,
        "kind": scaling.kind,
        "reference": scaling.reference,
        "by": scaling.by,
        "parameter": scaling.parameter,
        "parameter_value": scaling.parameter_value,
        "factors": scaling.factors,
        "shortage": scaling.shortage,
        **{_LISTS[by]: [_row_data(row, scaling, names) for row in rows] for by, rows in scaling.rows.items()},
        "at": scaling.at,
        "predicted": [_predicted_data(row, scaling) for row in scaling.predicted],
    }


def _row_data(row: Row, scaling: Scaling, names: Sequence[str]) -> dict[str, object]:
    fields = {name: value for name, value in vars(row).items() if not name.endswith("_fit")}
    return {
        **fields,
        "ranks": [each.ranks for each in scaling.factors],
        "seconds_model": _model_data(row.seconds_fit, names, second_text),
        "bytes_model": _model_data(row.bytes_fit, names, byte_text),
    }


def _model_data(
    fitted: Fit | None, names: Sequence[str], text: Callable[[float], str]
) -> dict[str, Any] | None:
    if fitted is None:
        return None
    model: Model = fitted.model
    return {
        "text": model_text(model, names, text),
        "constant": model.constant,
        "terms": [
            {
                "coefficient": term.coefficient,
                "powers": [factor.power for factor in term.exponents],
                "logarithms": [factor.logarithm for factor in term.exponents],
            }
            for term in model.terms
        ],
        "cross_validated_percent": 100 * model.cross_validated,
    }


def _predicted_data(row: PredictedRow, scaling: Scaling) -> dict[str, object]:
    keys = NAMES_OF_KEYS[scaling.by]
    return {
        **{key: getattr(row.row, key) if row.row else "" for key in keys},
        "outside": bool(row.row and row.row.outside),
        "all": row.row is None,
        **_interval("seconds", row.seconds),
        **_interval("percent_of_run", row.percent_of_run),
        **(_interval("bytes_sent", row.bytes_sent) if row.bytes_sent else {}),
    }


def _interval(name: str, prediction: Prediction) -> dict[str, float]:
    return {name: prediction.value, f"{name}_low": prediction.low, f"{name}_high": prediction.high}
