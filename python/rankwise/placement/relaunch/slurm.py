"""Slurm's srun, as a step of an allocation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwise.launchers.base import Option
from rankwise.placement.files import slurm
from rankwise.placement.files.job import Job, Written
from rankwise.placement.relaunch.launcher import Launcher, is_off, names


class Slurm(Launcher):
    """srun with an arbitrary distribution."""

    name = "Slurm"
    files = "slurm"
    placing = names(
        """w nodelist F nodefile m distribution N nodes r relative ntasks-per-node tasks-per-node
        ntasks-per-core ntasks-per-socket contiguous use-min-nodes spread-job"""
    )
    binding = names("cpu-bind")
    counting = frozenset({"n", "ntasks"})

    def file(self, job: Job) -> Written:
        """Return its file of hosts."""
        return slurm.arbitrary(job)

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """By --cpu-bind=none; several processors a task can't be told together with a list of them."""
        several = {"c", "cpus-per-task"} & {self.option_name(option) for option in options}
        told = [option.value for option in options if option.name == "cpu-bind"]
        bind = told[-1] if told else environment.get("SLURM_CPU_BIND", "")
        return bool(several) or any(map(is_off, bind.split(",")))

    def option_name(self, option: Option) -> str:
        """Return the letter of a short option, which may have its value attached (-n4)."""
        word = option.words[0]
        return option.name if word.startswith("--") else word[1:2]
