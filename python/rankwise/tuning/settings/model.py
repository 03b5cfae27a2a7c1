"""The contents of a settings file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone

from rankwise.launchers.binding import Binding
from rankwise.tuning.settings.rank_order import RankOrder
from rankwise.tuning.settings.rule import Rule
from rankwise.version import __version__


@dataclass(frozen=True)
class About:
    """Where settings come from, so that a reader can judge whether they fit.

    Attributes:
        rankwise: version that made them.
        created: when, ISO 8601 with time zone.
        library: first line of MPI_Get_library_version.
        abi: name of its ABI in mpi_libraries.
        hosts: on which they were measured.
        command: words of the program's launch.
        gain: ratio of the program's times without / with: (ratio, low, high, confidence, pairs); None: not
            measured.
    """

    rankwise: str
    created: str
    library: str
    abi: str
    hosts: tuple[str, ...]
    command: tuple[str, ...]
    gain: tuple[float, float, float, float, int] | None = None

    @classmethod
    def of_now(cls, library: str, abi: str, hosts: Sequence[str], command: Sequence[str]) -> About:
        """Return the header of settings found now by this version."""
        created = datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds")
        return cls(__version__, created, library, abi, tuple(hosts), tuple(command))


@dataclass(frozen=True)
class Settings:
    """Everything that `rankwise run --with` applies.

    Attributes:
        about: their origin.
        rules: for collectives.
        environment: variables for the ranks, in addition to those of the rules.
        bindings: the place of each rank; empty: as the launch says.
        order: of MPI_COMM_WORLD; None: as the launcher says. There are bindings or an order, never both.
    """

    about: About
    rules: tuple[Rule, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    bindings: tuple[Binding, ...] = ()
    order: RankOrder | None = None

    @property
    def identity(self) -> str:
        """A key that differs for other settings, another command or another library."""
        rules = [
            (rule.procedure, rule.processes, rule.low, rule.high, asdict(rule.algorithm))
            for rule in self.rules
        ]
        places = [asdict(binding) for binding in self.bindings]
        about = (self.about.library, self.about.command)
        order = [asdict(self.order)] if self.order else []
        text = json.dumps([about, rules, dict(self.environment), places, *order], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]
