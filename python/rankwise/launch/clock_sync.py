"""Whether the clocks of nodes are compared: the options --clock-sync and --no-clock-sync.

That takes a few messages in MPI_Init and in MPI_Finalize, for which every process of the job has to be ours:
a process that runs without Rankwise would be waited for. So it is done only where that can't happen, unless
it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rankwise.errors import RankwiseError
from rankwise.launch.detect import Kind
from rankwise.launch.plan import Plan

_SHARED = frozenset({"9p", "afs", "beegfs", "ceph", "cifs", "fhgfs", "fuse.beegfs", "fuse.ceph"}) | frozenset(
    {"fuse.glusterfs", "fuse.sshfs", "gfs2", "gpfs", "lustre", "nfs", "nfs4", "ocfs2", "orangefs", "panfs"}
    | {"pvfs2", "smb3", "wekafs"}
)
"""File systems that several nodes see."""


VARIABLE = "RANKWISE_CLOCK_SYNC"


def setting(wanted: bool | None, planned: Plan, library: Path) -> dict[str, str]:
    """Return the variable that src/runtime/wrappers/node_clocks.h reads; {} if nothing is to be compared.

    Args:
        wanted: by the user; None = as the variable says, else decide.
        planned: the launch.
        library: that is preloaded.

    Raises:
        RankwiseError: it is wanted where it can't be done.
    """
    if wanted is None and (said := planned.environment.get(VARIABLE)):
        wanted = said == "on"
    for detection in planned.detections if wanted else ():
        if detection.kind is Kind.LINKED:
            text = f"--clock-sync: {detection.program} has MPI linked in statically, and can't participate"
            raise RankwiseError(text)
    if wanted is None:
        wanted = not why_not(planned, library)
    return {VARIABLE: "on"} if wanted else {}


def why_not(planned: Plan, library: Path) -> str:
    """Return why clocks are not compared unless the user asks for it, without a full stop; '' = they are.

    Every process has to be ours for certain: one program, linked with MPI, behind a launcher that we know,
    and a library that is there on the other nodes. (The programs of a script, of Python or of a container are
    known only when they run. Of several programs, each may have a different environment.)
    """
    command = planned.command
    if command.known is None:
        return "the command is not a known launcher"
    if len(command.contexts) != 1 or len(planned.detections) != 1:
        return "the command starts several programs"
    program = planned.detections[0]
    if program.kind is not Kind.MPI or program.privilege:
        return f"{program.program} {program.privilege or f'is {program.kind.value}'}"
    if not _is_seen_by_other_nodes(library, _mounts()):
        return f"{library.parent} is on a file system that other nodes may not see"
    return ""


def _mounts() -> list[tuple[str, str]]:
    """Return mount points and types of file systems from the kernel; none if it does not list them."""
    try:
        lines = Path("/proc/self/mounts").read_text(errors="replace").splitlines()
    except OSError:
        return []
    return [(words[1], words[2]) for words in map(str.split, lines) if len(words) > 2]


def _is_seen_by_other_nodes(path: Path, mounts: Iterable[tuple[str, str]]) -> bool:
    around = {str(parent) for parent in path.resolve().parents}
    on = [(len(point), kind) for point, kind in mounts if point in around]
    # (Of two at the same place the later one hides the other.)
    return bool(on) and sorted(on, key=lambda mount: mount[0])[-1][1] in _SHARED
