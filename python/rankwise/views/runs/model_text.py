"""Models as text: `1.20 ms + 34.0 us p log2(p)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from rankwise.runs.models import Exponents, Model

_LARGEST_DENOMINATOR = 4


def model_text(model: Model, names: Sequence[str], value_text: Callable[[float], str]) -> str:
    """Return a model with its coefficients.

    Args:
        model: the model.
        names: of its parameters.
        value_text: of a coefficient, with its unit.
    """
    parts = [value_text(model.constant)] if model.constant or not model.terms else []
    terms = [
        f"{value_text(term.coefficient)} {_factors_text(term.exponents, names)}".replace(" 1/", " / ")
        for term in model.terms
    ]
    return " + ".join([*parts, *terms])


def form_text(model: Model, names: Sequence[str]) -> str:
    """Return how a model depends on its parameters: `p log2(p)`, `c + 1/p`, `constant`."""
    if not model.terms:
        return "constant"
    parts = ["c"] if model.constant else []
    return " + ".join([*parts, *(_factors_text(term.exponents, names) for term in model.terms)])


def exponent_text(exponent: float) -> str:
    """Return a measured power of p with its exponent to two digits: `constant`, `p`, `p^0.93`."""
    rounded = round(exponent, 2) + 0.0
    return {0.0: "constant", 1.0: "p"}.get(rounded, f"p^{rounded:.2g}")


def power_text(power: float, name: str) -> str:
    """Return a power: `p`, `p^1/2`, `1/p`, `p^-1/2`; '' for p^0."""
    fraction = Fraction(power).limit_denominator(_LARGEST_DENOMINATOR)
    return {Fraction(0): "", Fraction(1): name, Fraction(-1): f"1/{name}"}.get(fraction, f"{name}^{fraction}")


def _factors_text(exponents: Sequence[Exponents], names: Sequence[str]) -> str:
    words = []
    for factor, name in zip(exponents, names, strict=True):
        logarithm = f"log2({name})" if factor.logarithm == 1 else f"log2({name})^{factor.logarithm}"
        words += [power_text(factor.power, name), logarithm if factor.logarithm else ""]
    return " ".join(filter(None, words))
