"""The options of questions, and the parameters of queries that they become."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.records import dataclass

ALL_ROWS = 2**31 - 1
_FIRST, _END = datetime(1970, 1, 1), datetime(3000, 1, 1)
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d))?)?)?)?)?")
_STEPS = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the runs of a question are restricted to; '' = not at all.

    Attributes:
        since: first year, month, day or time of their starts, UTC: 2026-11, 2026-11-20, 2026-11-20T12:00.
        until: last one.
        user: owner.
        program: its name.
        cluster: its name.
        account: of the job in the accounting.
        partition: of the job in the accounting.
    """

    since: str = ""
    until: str = ""
    user: str = ""
    program: str = ""
    cluster: str = ""
    account: str = ""
    partition: str = ""

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that choose runs.

        Raises:
            RankwiseError: a date is none, or the period ends before it begins.
        """
        since = _period("since", self.since)[0] if self.since else _FIRST
        end = _period("until", self.until)[1] if self.until else _END
        if end <= since:
            raise RankwiseError(f"the period ends before it begins: since {self.since}, until {self.until}")
        return {
            "since": since.isoformat(sep=" "),
            "until": end.isoformat(sep=" "),
            "first_month": f"{since:%Y-%m}",
            "last_month": f"{end - _STEPS[-1]:%Y-%m}",
            "whole_months": all(at == datetime(at.year, at.month, 1) for at in (since, end)),
            "first_job_month": _months_later(since, -2),  # a job of a run may have started before it
            "last_run_month": _months_later(end, 2),
            "user": self.user,
            "program": self.program,
            "cluster": self.cluster,
            "account": self.account,
            "partition": self.partition,
            "any_job": not (self.account or self.partition),
        }


def month_range(month: str) -> tuple[date, date]:
    """Return the first and the last day of a month."""
    first, end = _period("month", month)
    return first.date(), (end - _STEPS[0]).date()


def _period(name: str, text: str) -> tuple[datetime, datetime]:
    """Return the beginning and the end of a year, a month, a day, an hour, a minute or a second.

    Raises:
        RankwiseError: it is none.
    """
    match = _DATE.fullmatch(text)
    try:
        if not match:
            raise ValueError(text)
        given = [int(group) for group in match.groups() if group is not None]
        first = datetime(*[*given, 1, 1][: max(len(given), 3)])  # type: ignore[arg-type]
        if len(given) >= 3:
            return first, first + _STEPS[len(given) - 3]
        if len(given) == 1 or first.month == 12:
            return first, datetime(first.year + 1, 1, 1)
        return first, datetime(first.year, first.month + 1, 1)
    except (ValueError, OverflowError):
        raise RankwiseError(f"{name}: {text[:40]!r} is not a date such as 2026-11 or 2026-11-20") from None


def _months_later(day: datetime, months: int) -> str:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return f"{year:04}-{month + 1:02}"
