"""All rules, one from each module in `rules`."""

from __future__ import annotations

import importlib
import pkgutil

from rankwise.findings import rules
from rankwise.findings.finding import Rule


def _rules() -> tuple[Rule, ...]:
    names = [module.name for module in pkgutil.iter_modules(rules.__path__)]
    listed: list[Rule] = [importlib.import_module(f"{rules.__name__}.{name}").RULE for name in names]
    return tuple(sorted(listed, key=lambda rule: (rule.order, rule.id)))


RULES = _rules()
