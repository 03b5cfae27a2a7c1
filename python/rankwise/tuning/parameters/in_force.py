"""Whether the library has taken a value, by what the probe tells without it and with it."""

from __future__ import annotations

from rankwise.tuning.parameters.constraint import number_of
from rankwise.tuning.parameters.layers import Layers
from rankwise.tuning.parameters.parameter import Parameter, Setting


def is_in_force(parameter: Parameter, setting: Setting, without: Layers, with_it: Layers) -> bool | None:
    """Tell whether a value is in force; None: that can't be told.

    Args:
        parameter: whose value it is.
        setting: with the value.
        without: as the library is without us.
        with_it: as it is with the value.
    """
    wanted = setting.value or ""
    if parameter.shows == "pml":
        return with_it.pml == wanted if with_it.pml else None
    if parameter.shows == "processors":
        return with_it.processors < without.processors if with_it.processors and without.processors else None
    before, now = without.values.get(parameter.asked), with_it.values.get(parameter.asked)
    if parameter.shows != "variable" or now is None:
        return None
    if now == wanted or (number_of(now) is not None and number_of(now) == number_of(wanted)):
        return True
    if before is None or now != before:
        return None  # it has changed, into something that is written otherwise
    # Words such as `true` or names of algorithms are numbers in the library.
    return False if number_of(wanted) is not None else None
