"""Checks that the library takes the rules from its file: it is launched with the file and timed.

A race chooses algorithms by the library's variables, a file by rules. A library may silently drop rules, or
carry them out at a higher cost. With the file in force, its own choice must be as fast as the algorithm of a
rule: if the algorithm chosen by variables is still faster, the rule is useless.
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
from rankwise.tuning.racing.race import RELAUNCHED_VALIDATION_ROUNDS, validation_times
from rankwise.tuning.racing.racer import Racer

_ROUNDS = 32


def to_be_checked(table: Table, rules: Sequence[Made], kept: Kept) -> list[Held]:
    """Return the measurements behind rules that were not checked yet for an effect.

    Args:
        table: all that follows from the measurements.
        rules: in the library's file.
        kept: has the effects that were checked before.
    """
    proven = [decision.weakest for decision in table.decisions if decision.weakest]
    return [
        held
        for held in proven
        if (held.point, held.algorithm) not in kept.results.effects
        and any(_is_for(made, held) for made in rules)
    ]


def check(
    racer: Racer, wanted: Sequence[Held], request: Request, kept: Kept, say: Callable[[str], None]
) -> str:
    """Check whether rules have an effect.

    Args:
        racer: of a launch with the file in force.
        wanted: the measurements behind the rules.
        request: how they were measured.
        kept: gets the results.
        say: gets a line of progress at a time.

    Returns:
        why it ended early; '' if it did not.
    """
    layout = Layout(racer.hosts)
    wanted = [held for held in wanted if layout.has(held.point.shape)]
    rounds = RELAUNCHED_VALIDATION_ROUNDS if racer.relaunches else _ROUNDS
    say(f"trying the rules in the library's own file: {number_of(len(wanted), 'point')}")
    for held in wanted:
        try:
            times = validation_times(
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


def _is_for(made: Made, held: Held) -> bool:
    rule = made.rule
    return (
        (rule.procedure, rule.processes, rule.algorithm)
        == (held.point.procedure, held.point.shape.processes, held.algorithm)
        and rule.low <= held.point.size
        and (rule.high is None or held.point.size <= rule.high)
    )
