"""What the options of `rankwise map` and `rankwise map predict` ask for."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Request:
    """A requested placement.

    Attributes:
        profile: of the run.
        kind: of messages, a key of analysis.messages.kinds.BY_OPTION.
        objective: one of placement.options.OBJECTIVES.
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
            effort=arguments.effort,
            seed=arguments.seed,
            output=arguments.output,
            force=arguments.force,
            launcher=arguments.launcher,
            plot=arguments.plot,
            as_json=arguments.json,
        )
