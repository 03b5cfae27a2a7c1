"""What the options of `rankwise map` and `rankwise map predict` ask for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from rankwise.commands.map import options


@dataclass(frozen=True, kw_only=True)
class Request:
    """A requested placement.

    Attributes:
        profile: of the run.
        kind: of messages, a key of analysis.messages.kinds.BY_OPTION.
        objective: one of placement.options.OBJECTIVES.
        extra: percent of byte hops that the objective `both` may add.
        effort: of the search.
        seed: of its random numbers.
        output: directory for the files of launchers; None = no files.
        force: whether files may be replaced.
        launcher: the launcher of the files; None = the launcher of the run.
        plot: file for the picture; None = no picture.
        as_json: whether JSON is printed.
    """

    profile: Path
    kind: str
    objective: str
    extra: float
    effort: int
    seed: int
    output: Path | None
    force: bool
    launcher: str | None
    plot: Path | None
    as_json: bool

    @classmethod
    def by(cls, arguments: argparse.Namespace) -> Request:
        """Return what the command line says."""
        return cls(
            profile=arguments.profile,
            kind=arguments.kind,
            objective=arguments.objective,
            extra=options.extra(arguments),
            effort=arguments.effort,
            seed=arguments.seed,
            output=arguments.output,
            force=arguments.force,
            launcher=arguments.launcher,
            plot=arguments.plot,
            as_json=arguments.json,
        )

    def chosen(self) -> dict[str, str | float | None]:
        """Return the objective, for JSON; `extra_percent` is null if the objective has no use for it."""
        extra = self.extra if self.objective == "both" else None
        return {"objective": self.objective, "extra_percent": extra}
