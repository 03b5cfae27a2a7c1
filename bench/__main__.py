"""What Rankwise costs: `python bench` measures all of it, `python bench PART` one part. See README.md."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from common.errors import BenchError
from rankwise.errors import RankwiseError

# The tests' nodes on one machine serve the parts that need several; synthetic files are the tests', too.
_TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(_TESTS), str(_TESTS / "mpi"), str(_TESTS / "cluster"), str(_TESTS / "unit")]

PARTS = {
    "overhead": "what is added to a call, to memory, to MPI_Init and MPI_Finalize, and by the command",
    "sizes": "cost of messages and collectives of each size",
    "inside": "what it costs to see the messages inside collectives",
    "requests": "the table of requests",
    "sessions": "the introspection library: calls in a session, and its own functions",
    "scale": "jobs with many ranks",
    "assembly": "the profile of 10,000 ranks",
    "latency": "time of measuring all pairs of ranks, in two orders",
    "placement": "where ranks go: what the engine finds, and what that takes, beside Scotch",
    "reorder": "what placement is worth: programs in a bad order, mapped, started again",
    "tuning": "what tuning finds, what it misses, and how often it finds what is not there",
    "links": "link loads of a fabric: reading it, and sending messages through its tables",
    "predicted": "time of exchanges over a fat tree, by the loads of its links and by the clock",
    "report": "reports of large jobs: their size, opening one, zooming in it",
    "list": "a list of many profiles",
    "centre": "questions about a million runs of a computing centre",
    "scaling": "laws that `rankwise scaling` finds, verdicts, and its time for many profiles",
    "verdicts": "what is said of programs whose problem is known",
    "history": "changes of the run time and what it goes with: found, missed, and found without being there",
    "wire": "bytes between nodes, by profiles and by the network interfaces",
}
_WITH_JOBS = ("overhead", "sizes", "inside", "sessions", "scale")  # these take --mpi and --pairs


def _run(part: str, arguments: list[str]) -> bool:
    try:
        importlib.import_module(f"{part}.main").main(arguments)
    except ModuleNotFoundError as error:
        print(f"bench: {part}: {error.name} is missing: pip install -r requirements-dev.txt", file=sys.stderr)
        return False
    except (BenchError, RankwiseError, OSError) as error:
        print(f"bench: {part}: {error}", file=sys.stderr)
        return False
    return True


def main(words: list[str]) -> int:
    """Exit status 1 if something could not run; of `assembly` and `report` also if an aim was missed."""
    if words and words[0] in PARTS:
        return 0 if _run(words[0], words[1:]) else 1
    if words and not words[0].startswith("--"):
        print(f"bench: no part {words[0]}: give one of {', '.join(PARTS)}, or none", file=sys.stderr)
        return 2
    failed = []
    for part, title in PARTS.items():
        if not (Path(__file__).parent / part / "main.py").is_file():
            continue
        print(f"=== {part}: {title}\n", flush=True)
        if not _run(part, words if part in _WITH_JOBS else []):
            failed.append(part)
        print(flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
