"""What to say where there is nothing to show: why, and the cure."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.analysis.waiting.unknown import Reason, Unknown

NO_CALLS = (
    "No MPI call was recorded: the program ended before it called MPI, or paused the recording with"
    " MPI_Pcontrol(0); `rankwise doctor -- COMMAND` tells what would be seen."
)
NOTHING_BETWEEN = (
    "No MPI call was recorded between MPI_Init and MPI_Finalize: the program makes none, or paused the"
    " recording with MPI_Pcontrol(0)."
)
NO_CALL_BETWEEN = "No MPI call between MPI_Init and MPI_Finalize"
"""As a title."""
NO_RANKS = (
    "No rank's counters could be read: the program ended before MPI_Init;"
    " `rankwise doctor -- COMMAND` tells what would be seen."
)
NO_MESSAGES = (
    "No messages were recorded: the program sends none of its own; collectives count as calls, see --by call."
)
NO_COLLECTIVES = (
    "No collectives were recorded on communicators of several processes;"
    " --by call shows what the program calls."
)
NO_SITES = (
    "No places of calls were recorded: the program made no call, or ran with --no-sites;"
    " --by call shows what was called."
)
NO_PATHS = (
    "It was not recorded through which functions calls are made: the program made no call, or ran with"
    " --no-paths or --no-sites; --by call shows what was called."
)
NO_FILES = (
    "No files were recorded: the program opens none with MPI_File_open, and other ways of I/O are not seen;"
    " --by call shows what it calls."
)
NO_COUNTERS = (
    "No system counters were recorded: no rank came to where they are read (borders of regions, heartbeats,"
    " MPI_Finalize), or the profile was made with --no-counters; --by call shows what was called."
)
NO_WAITS = (
    "No waits for messages were recorded: no receive, wait or blocking send of the program returned;"
    " --by call shows what it calls."
)
NOBODY_LATE = "Nobody is known to have come late for a message."
NO_TIME_LINE = (
    "It is not known what the ranks did when: no rank came out of MPI_Init; --by call shows what they called."
)
NO_REGIONS = (
    'The program names no regions: put MPI_Pcontrol(1, "name") before and MPI_Pcontrol(-1, "name") after'
    " what you want to see by itself."
)
NOTHING_SELECTED = "Nothing of this was recorded in the part that is selected."
COMPARE_CLOCKS = "`rankwise run --clock-sync` compares them, if all processes run with Rankwise"
_WHY_NO_ARRIVALS: Mapping[Reason, str] = {
    "none called": "the program calls no blocking collective on several processes",
    "none returned": "no blocking collective on several processes returned",
    "clocks not compared": "the clocks of the nodes were not compared",
    "not kept": "of no blocking collective on several processes the arrivals of all ranks were kept",
}


def why_no_arrivals(unknown: Unknown) -> str:
    """Return why no arrivals at collectives are known, without a full stop."""
    why = _WHY_NO_ARRIVALS[unknown.reason]
    return f"{why}; {COMPARE_CLOCKS}" if unknown.reason == "clocks not compared" else why


def no_arrivals(unknown: Unknown) -> str:
    """Return what to say where no arrivals at collectives are known: why, and the cure."""
    cure = ""
    if unknown.reason == "none called":
        cure = "; --by call shows what it calls"
    elif unknown.reason != "clocks not compared":
        cure = "; --by rank shows how far the ranks came"
    return f"No arrivals at collectives are known: {why_no_arrivals(unknown)}{cure}."
