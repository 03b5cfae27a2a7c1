"""Launchers known by name only (jsrun, aprun ...): they hand on their own environment, as far as known."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.launch.launchers.base import Context, Delivery, Family, Preload, with_options


class Other(Family):
    """Any other launcher."""

    name = "other"

    def deliver(
        self,
        contexts: tuple[Context, ...],
        preload: Preload,
        environment: Mapping[str, str],  # noqa: ARG002
        theirs: str,
    ) -> Delivery:
        """By the launcher's own environment."""
        delivered = tuple(with_options(context, context.options, preload, theirs) for context in contexts)
        return Delivery(delivered, preload.variables(theirs), "the launcher's environment")
