"""Bytes at the nodes' network ports over time, and the messages of the ranks among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankwise.analysis.nodes.network_rates import NetworkRate
from rankwise.render.figures.plots.canvas import drawing, seconds_on, texts_on
from rankwise.text.units import byte_text

_PORTS, _MESSAGES = "#9db7d5", "#b5432a"


def draw_network(rates: Sequence[NetworkRate], title: str, axes: Any = None) -> Any:
    """Draw what the ports sent as an area, and what the ranks sent to other nodes as a line.

    Args:
        rates: of all nodes.
        title: of the picture.
        axes: to draw on; None = new ones.

    Returns:
        The axes.
    """
    with drawing(axes, 7.2, 3.6) as on:
        if not rates:
            on.set_title("No counters of the network were sampled")
            return on
        edges = [*(rate.begin_seconds for rate in rates), rates[-1].begin_seconds + rates[-1].seconds]
        ports = [rate.ports_sent_per_second for rate in rates]
        messages = [rate.messages_sent_per_second for rate in rates]
        on.stairs(ports, edges, fill=True, color=_PORTS, label="ports, without headers (estimated)")
        on.stairs(messages, edges, color=_MESSAGES, linewidth=1.3, label="messages of ranks to other nodes")
        on.set_xlim(edges[0], edges[-1])
        on.set_ylim(bottom=0)
        on.set_xlabel("time")
        on.set_ylabel("sent, a second, all nodes")
        seconds_on(on.xaxis)
        texts_on(on.yaxis, byte_text)
        on.legend(frameon=False)
        on.set_title(title)
    return on
