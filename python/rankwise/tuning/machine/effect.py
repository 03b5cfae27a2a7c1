"""Does the library take the rules from its file? It is launched with the file, and shows by its own times.

A race chooses algorithms by the library's variables, and a file by rules, which a library may drop without a
word, or reach on another way that costs more. With the file in force its own choice must be as fast as the
algorithm that a rule names: where the algorithm chosen by variables is still faster, the rule is worth
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankwise.errors import RankwiseError
from rankwise.text.units import number_of
from rankwise.trials.run import Interrupted, OutOfTime
from rankwise.tuning.machine.grid import Layout
from rankwise.tuning.machine.measure import ENDED, Placed, Request
from rankwise.tuning.machine.results import Held, Kept
from rankwise.tuning.machine.rules import Made, Table
from rankwise.tuning.racing.race import RELAUNCHED_HOLD_OUT_ROUNDS, held_out_times
from rankwise.tuning.racing.racer import Racer

_ROUNDS = 32


def to_be_checked(found: Table, rules: Sequence[Made], kept: Kept) -> list[Held]:
    """Return what rules were measured with, as far as it was not looked yet whether they have an effect.

    Args:
        found: all that follows from the measurements.
        rules: that the library is told.
        kept: has what was looked at.
    """
    proven = [one.weakest for one in found.decisions if one.weakest]
    return [
        held
        for held in proven
        if (held.point, held.algorithm) not in kept.results.effects
        and any(_is_for(one, held) for one in rules)
    ]


def check(
    racer: Racer, wanted: Sequence[Held], request: Request, kept: Kept, say: Callable[[str], None]
) -> str:
    """Look whether rules have an effect.

    Args:
        racer: of a launch with the file in force.
        wanted: what the rules were measured with.
        request: how it was measured.
        kept: gets what is seen.
        say: is told how far it is, by lines.

    Returns:
        why it was ended early; '' if it was not.
    """
    layout = Layout(racer.hosts)
    wanted = [held for held in wanted if layout.has(held.point.shape)]
    rounds = RELAUNCHED_HOLD_OUT_ROUNDS if racer.relaunches else _ROUNDS
    say(f"trying the rules in the library's own file: {number_of(len(wanted), 'point')}")
    for held in wanted:
        try:
            times = held_out_times(
                Placed(racer, held.point.shape),
                held.point.cell(),
                held.algorithm,
                request.confidence,
                rounds,
                request.seed,
            )
        except Interrupted:
            return ENDED["interrupted"]
        except OutOfTime:
            return ENDED["over"]
        except RankwiseError as error:
            say(f"{held.point.text} can't be measured with the file: {error}")
            continue
        kept.add_effect(Held(held.point, held.algorithm, *map(tuple, times)))
    return ""


def _is_for(one: Made, held: Held) -> bool:
    rule = one.rule
    return (
        (rule.procedure, rule.processes, rule.algorithm)
        == (held.point.procedure, held.point.shape.processes, held.algorithm)
        and rule.low <= held.point.size
        and (rule.high is None or held.point.size <= rule.high)
    )
