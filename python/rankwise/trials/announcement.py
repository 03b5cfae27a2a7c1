"""What the trials will take, said before the first run."""

from __future__ import annotations

from rankwise.errors import RankwiseError
from rankwise.trials.plan import MOST_PAIRS, Aim
from rankwise.trials.series import about


def announcement(aim: Aim, of_run: float) -> list[str]:
    """Return sentences.

    Args:
        aim: of the trials.
        of_run: seconds that a run took when it was last seen; starting it takes some more.

    Raises:
        RankwiseError: the time that is allowed is too short for a pair.
    """
    pairs = aim.first_pairs
    total = about((2 * pairs + 2) * of_run)
    said = [
        f"{pairs} pair{'s' * (pairs > 1)} = {2 * pairs} runs {_each(of_run)} and 2 to warm up: {total}"
        + ("" if aim.pairs else f"; they show whether more are needed (at most {MOST_PAIRS} pairs)")
    ]
    if aim.pairs and (reachable := 1 - 2.0 ** (1 - aim.pairs)) < aim.confidence:
        said.append(
            f"{_few(aim.pairs, reachable)}, not {100 * aim.confidence:g} %: too few to show a difference"
        )
    if aim.seconds is not None:
        fitting = int(aim.seconds / max(2 * of_run, 1e-9)) - 1
        if fitting < 1:
            raise RankwiseError(
                f"--time-limit {aim.seconds:g} is too short for a pair and two runs to warm up: "
                f"{about(4 * of_run)}"
            )
        if fitting < pairs:
            said.append(f"the time limit allows no more than {_few(fitting, 1 - 2.0 ** (1 - fitting))}")
    return said


def _each(of_run: float) -> str:
    return f"of {about(of_run)}" if of_run >= 1 else "of less than a second"


def _few(pairs: int, confidence: float) -> str:
    return f"{pairs} pair{'s' * (pairs > 1)}, which give at most {100 * confidence:.1f} % confidence"
