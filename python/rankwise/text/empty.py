"""Messages where there is nothing to show: why, and the cure."""

from __future__ import annotations

from collections.abc import Mapping

from rankwise.analysis.waiting.unknown import Reason, Unknown

NO_CALLS = (
    "No MPI call was recorded: the program ended before it called MPI, or paused recording with "
    "MPI_Pcontrol(0). `rankwise doctor -- COMMAND` shows what would be recorded."
)
NOTHING_BETWEEN = (
    "No MPI call was recorded between MPI_Init and MPI_Finalize: the program makes none, or paused "
    "recording with MPI_Pcontrol(0)."
)
NO_CALL_BETWEEN = "No MPI call between MPI_Init and MPI_Finalize"
"""As a title."""
NO_RANKS = (
    "No rank's counters could be read: the program ended before MPI_Init. `rankwise doctor -- COMMAND` "
    "shows what would be recorded."
)
NO_MESSAGES = (
    "No messages were recorded: the program itself sends none. Collectives count as calls, see --by call."
)
NO_COLLECTIVES = (
    "No collectives on communicators of several processes were recorded. --by call shows what the program "
    "calls."
)
NO_SITES = (
    "No call sites were recorded: the program made no call, or ran with --no-sites. --by call shows what "
    "it called."
)
NO_PATHS = (
    "No call paths were recorded: the program made no call, or ran with --no-paths or --no-sites. --by "
    "call shows what it called."
)
NO_FILES = (
    "No files were recorded: the program opens none with MPI_File_open, and other I/O is not recorded. "
    "--by call shows what it calls."
)
NO_COUNTERS = (
    "No system counters were recorded: no rank reached a place where they are read (region borders, "
    "heartbeats, MPI_Finalize), or the run used --no-counters. --by call shows what was called."
)
NO_NETWORK = (
    "No counters of the network were sampled: the nodes show none, the run is of an older Rankwise, or "
    "RANKWISE_NETWORK is off. --by pair shows the messages, --by call the calls."
)
NOTHING_AT_PORTS = "No port moved anything. --by pair shows the messages."
NO_WAITS = (
    "No waits for messages were recorded: no receive, wait or blocking send of the program returned. --by "
    "call shows what it calls."
)
NOBODY_LATE = "No late sender or receiver is known."
NO_TIME_LINE = "No time line was recorded: no rank left MPI_Init. --by call shows what the ranks called."
NO_REGIONS = (
    'The program names no regions: put MPI_Pcontrol(1, "name") before and MPI_Pcontrol(-1, "name") after'
    " the part you want to see separately."
)
NOTHING_SELECTED = "Nothing of this kind was recorded in the selected part."
COMPARE_CLOCKS = "`rankwise run --clock-sync` compares them if all processes run under Rankwise"
_WHY_NO_ARRIVALS: Mapping[Reason, str] = {
    "none called": "the program calls no blocking collective on several processes",
    "none returned": "no blocking collective on several processes returned",
    "clocks not compared": "the clocks of the nodes were not compared",
    "not kept": "for no blocking collective on several processes were the arrivals of all ranks kept",
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
