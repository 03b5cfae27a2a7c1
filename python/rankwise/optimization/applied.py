"""The user's command with settings: places for the launcher, the order and the rest for the ranks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

from rankwise.launch.world_order import given
from rankwise.placement.files import write_all
from rankwise.placement.relaunch import understand
from rankwise.trials.recorded import Command
from rankwise.trials.ways import Way
from rankwise.tuning.program import Program
from rankwise.tuning.settings.apply import materialise
from rankwise.tuning.settings.model import Settings


def way_of(program: Program, directory: Path, settings: Settings, name: str, *, library: Path | None) -> Way:
    """Return the way to run a program with settings.

    Args:
        program: as given.
        directory: in which its files are made; every node sees it.
        settings: all of them.
        name: of the way, for people.
        library: the file with the MPI library that it uses; None: not known.

    Raises:
        RankwiseError: the library or the launcher can't take them.
    """
    # The environment may have variables for the launcher, such as how it binds ranks. A separate directory:
    # others may be in use.
    own = Path(mkdtemp(prefix="settings-", dir=directory))
    variables: Mapping[str, str] = materialise(settings, own, library)
    if not settings.bindings:
        order = given(settings.order.new_rank, renumber=False) if settings.order else None
        return Way(name, Command(program.words, settings.environment, order), variables)
    launch = understand(program.words, program.environment)
    bindings = launch.bindings(settings.bindings)
    place = own / "placement"
    write_all(bindings, place, ())
    relaunched = launch.relaunched(bindings, place)
    return Way(name, Command(relaunched.words, {**relaunched.variables, **settings.environment}), variables)
