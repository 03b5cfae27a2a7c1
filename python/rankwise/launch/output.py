"""What launchers print when a launch fails."""

from __future__ import annotations

import re

from rankwise.launchers import launchers

_TELLING = re.compile(
    r"error|fail|could not|couldn't|cannot|can't|unable|not found|no such|refused|unreachable|denied|invalid"
    r"|unrecognized|unknown|not enough|killed|signal|timed? ?out|lost",
    re.IGNORECASE,
)
_LONGEST = 300
_MOST_LINES = 4


def telling_line(said: str) -> str:
    """Return the most informative line of a launcher's output: the first of an error, else the last.

    Open MPI's sentences go on in the next line, and behind a colon.
    """
    lines = [" ".join(line.split()) for line in said.splitlines()]
    lines = [line for line in lines if re.search(r"\w", line)]
    place = next((i for i, line in enumerate(lines) if _TELLING.search(line)), len(lines) - 1)
    text = lines[place] if lines else ""
    for following in lines[place + 1 : place + _MOST_LINES]:
        if not (text.endswith(":") or following[0].islower()):
            break
        text += f" {following}"
    for ended, naming in (launcher.node_apart for launcher in launchers() if launcher.node_apart):
        if ended.search(text) and (node := naming.search(said)):
            text += f" on {node[1]}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
