"""What a run's time is lost to, and what the words for it mean: `rankwise explain`."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

from rankwise.analysis.evidence import Evidence
from rankwise.analysis.opened import opened_profile
from rankwise.analysis.overview import Run, trust
from rankwise.analysis.to_json import to_json
from rankwise.diagnosis.as_json import diagnosis_json
from rankwise.diagnosis.kept import diagnosis
from rankwise.diagnosis.model import Diagnosis
from rankwise.errors import RankwiseError
from rankwise.findings.as_json import findings_json
from rankwise.findings.finding import Fact, NoAnswer, Rule
from rankwise.findings.metrics import METRICS, Metric
from rankwise.reading.answers import Answer


def explain(path: Path) -> Explanation:
    """Return all findings in a profile, with its efficiency.

    Raises:
        RankwiseError: it can't be read.
    """
    with opened_profile(path) as connection:
        evidence = Evidence(connection)
        answer = Explanation(
            path, evidence.run, diagnosis(evidence), partial=trust(connection).partial_reason
        )
        answer.text(
            verbose=True
        )  # while it is open; and a text where a number should be leads to errors here
        return answer


def meaning(word: str, path: Path | None = None) -> Meaning:
    """Return what a metric or a rule is, and its value in the profile at `path`.

    Raises:
        RankwiseError: nothing has this name, or the profile can't be read.
    """
    from rankwise.findings.registry import RULES

    words: dict[str, Metric | Rule] = {entry.name: entry for entry in METRICS}
    words |= {entry.id: entry for entry in RULES}
    known = words.get(word.lower().replace("_", "-").replace(" ", "-"))
    if known is None:
        raise RankwiseError(f"there is no profile and no metric {word!r}: there are {', '.join(words)}")
    if path is None:
        return Meaning(Path(), known, None, None)
    with opened_profile(path) as connection:
        evidence = Evidence(connection)
        if isinstance(known, Metric):
            return Meaning(path, known, known.value(evidence), None)
        return Meaning(path, known, None, explain(path))


class Explanation(Answer):
    """What a run's time is lost to.

    Attributes:
        run: the recorded run.
        diagnosis: the conclusions, as objects.
        findings: of it.
        partial: why the profile is partial; '' if it is not.
    """

    def __init__(self, path: Path, run: Run, conclusions: Diagnosis, *, partial: str) -> None:
        """Take the diagnosis of the profile at `path`."""
        super().__init__(path)
        self.run, self.diagnosis, self.findings = run, conclusions, conclusions.findings
        self.partial = partial

    @cached_property
    def data(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "diagnosis": diagnosis_json(self.diagnosis),
            "efficiency": to_json(self.diagnosis.account.efficiency),
            "regions": to_json(self.diagnosis.account.regions),
            "findings": findings_json(self.findings.found, self.run, self._path),
            "unknown": to_json(self.findings.silent),
            "nothing_found": list(self.findings.nothing),
        }

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:
        from rankwise.render.terminal.explain import write_explanation
        from rankwise.render.terminal.page import Page

        write_explanation(
            *(Page(file), self.diagnosis, self.run),
            *(self._path, self.partial, limit),
            verbose=bool(verbose),
        )

    def __repr__(self) -> str:
        return f"<explanation: {len(self.findings.found)} findings>"


class Meaning(Answer):
    """What a metric or a rule is.

    Attributes:
        what: itself.
        value: of a metric in a profile, or why it has none; None = no profile was asked.
    """

    def __init__(
        self, path: Path, what: Metric | Rule, value: Fact | NoAnswer | None, explanation: Explanation | None
    ) -> None:
        """Take the metric or rule, with its value in a run."""
        super().__init__(path)
        self.what, self.value = what, value
        self._explanation = explanation

    @cached_property
    def data(self) -> dict[str, Any]:
        """What `--json` prints."""
        if isinstance(self.what, Rule):
            what = self.what
            data: dict[str, Any] = {
                "rule": what.id,
                "looks_for": what.looks_for,
                "when": what.when,
                "formula": what.formula,
                "advice": what.advice,
            }
            if self._explanation:
                whole = self._explanation.data
                data["findings"] = [entry for entry in whole["findings"] if entry["rule"] == what.id]
                data["unknown"] = next(
                    (entry["why"] for entry in whole["unknown"] if entry["rule"] == what.id), None
                )
            return data
        metric = self.what
        data = {
            "metric": metric.name,
            "meaning": metric.meaning,
            "formula": metric.formula,
            "source": metric.source,
        }
        if isinstance(self.value, Fact):
            data |= {"value": self.value.value, "unit": self.value.unit, "unknown": None}
        elif self.value:
            data |= {"value": None, "unit": None, "unknown": self.value.why}
        return data

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:  # noqa: ARG002 - it is short
        from rankwise.render.terminal.explain import write_metric, write_rule
        from rankwise.render.terminal.page import Page

        if isinstance(self.what, Metric):
            write_metric(Page(file), self.what, self.value)
        else:
            explanation = self._explanation
            write_rule(
                Page(file),
                self.what,
                explanation.findings if explanation else None,
                explanation.run if explanation else None,
                self._path,
            )

    def __repr__(self) -> str:
        return f"<{self.what.name if isinstance(self.what, Metric) else self.what.id}>"


class Words(Answer):
    """All metrics and rules."""

    def __init__(self) -> None:
        """Belong to no profile."""
        super().__init__(Path())

    @cached_property
    def data(self) -> dict[str, Any]:
        """What `--json` prints."""
        from rankwise.findings.registry import RULES

        metrics = [{"metric": entry.name, "formula": entry.formula} for entry in METRICS]
        return {
            "metrics": metrics,
            "rules": [{"rule": entry.id, "looks_for": entry.looks_for} for entry in RULES],
        }

    def _write(self, file: TextIO, *, verbose: int, limit: int) -> None:  # noqa: ARG002 - all are shown
        from rankwise.findings.registry import RULES
        from rankwise.render.terminal.explain import write_words
        from rankwise.render.terminal.page import Page

        write_words(Page(file), METRICS, RULES)
