"""Open MPI and PRRTE: a rankfile, or the sequential mapper where cores are not known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.errors import RankwiseError
from rankwise.launchers.base import Option
from rankwise.placement.files import openmpi
from rankwise.placement.files.job import Job, Written
from rankwise.placement.relaunch.launcher import Launcher, is_off, names

_PARAMETERS = ("mca", "gmca", "omca", "gomca", "prtemca", "gprtemca")
_BINDING_POLICIES = ("hwloc_base_binding_policy", "hwloc_default_binding_policy")
_SEVERAL_PROCESSORS = ("cpus-per-proc", "cpus-per-rank")


class OpenMPI(Launcher):
    """mpirun of Open MPI up to version 4."""

    name = "Open MPI 4"
    files = "openmpi4"
    label = "Open MPI"
    placing = names(
        """host H hostfile machinefile default-hostfile h-file add-host add-hostfile map-by rank-by rf
        rankfile N npernode npersocket pernode bynode byslot bycore ppr nolocal"""
    )
    binding = names("bind-to bind-to-core bind-to-socket cpu-list cpu-set use-hwthread-cpus")
    counting = frozenset({"n", "np", "c"})

    def file(self, job: Job) -> Written:
        """Return its rankfile."""
        return openmpi.rankfile4(job)

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """By --bind-to none, or the parameter behind it."""
        told = [option.value for option in options if option.name == "bind-to"]
        told += [o.words[2] for o in options if _parameter(o) in _BINDING_POLICIES]
        told += [
            environment.get(f"{prefix}_MCA_{p}", "") for prefix in ("OMPI", "PRTE") for p in _BINDING_POLICIES
        ]
        return any(map(is_off, told))

    def check(self, options: Sequence[Option]) -> None:
        """Refuse several processors a rank: no file of places tells them."""
        for option in options:
            several = option.name in _SEVERAL_PROCESSORS or ":pe=" in option.value.lower().replace(",", ":")
            if several:
                raise RankwiseError(
                    f"{' '.join(option.words)} gives each rank several processors, which can't be told "
                    "together with places: leave it out"
                )

    def replaces(self, option: Option, *, binds: bool) -> bool:
        """As for all; and parameters of what maps ranks."""
        parameter = _parameter(option)
        if parameter.startswith("rmaps") or parameter.endswith("_default_hostfile"):
            return True
        return (binds and parameter in _BINDING_POLICIES) or super().replaces(option, binds=binds)

    def binds(self, option: Option) -> bool:
        """By a rankfile."""
        return option.name == "rankfile" or option.value.startswith("rankfile:")


class OpenMPI5(OpenMPI):
    """mpirun of Open MPI 5, prterun."""

    name = "Open MPI 5"
    files = "openmpi5"

    def file(self, job: Job) -> Written:
        """Return its rankfile."""
        return openmpi.rankfile5(job)


def _parameter(option: Option) -> str:
    """Return the name of the MCA parameter that the option sets, '' if it is none."""
    return option.words[1] if option.name in _PARAMETERS and len(option.words) == 3 else ""
