"""Slurm's srun: hands on its own environment, unless --export or SLURM_EXPORT_ENV says otherwise.

Source: srun(1), "--export". ALL takes the values of srun's environment before those in the list, so ours go
there and the list gets the names only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rankwise.launchers.base import Answer, Delivery, Launcher, Preload, Program, RankIdentity, World, names
from rankwise.launchers.option import Option
from rankwise.launchers.placing import (
    Distribution,
    Job,
    Relaunching,
    Written,
    binding_note,
    common_processors,
    is_off,
)

_WITH_VALUE = """
    A B C D F G J L M N S T W b c d e i m n o p q r t w x accel-bind account acctg-freq bb bbf begin chdir
    cluster-constraint clusters comment constraint container container-env container-image container-mounts
    container-name container-save container-workdir core-spec cores-per-socket cpu-bind cpu-freq
    cpus-per-gpu cpus-per-task deadline delay-boot dependency distribution epilog error exclude export
    extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags
    het-group hint input job-name jobid licenses mail-type mail-user mcs-label mem mem-bind mem-per-cpu
    mem-per-gpu mincpus mpi msg-timeout network nodefile nodelist nodes ntasks ntasks-per-core
    ntasks-per-gpu ntasks-per-node ntasks-per-socket ntasks-per-tres open-mode output pack-group partition
    power prefer priority profile prolog qos relative reservation signal slurmd-debug sockets-per-node
    switches task-epilog task-prolog tasks-per-node thread-spec threads threads-per-core time time-min tmp
    tres-bind tres-per-task uid wait wckey
"""
_FLAGS = """
    E H I K O Q V X Z h k l s u v bcast compress container-entrypoint container-mount-home
    container-readonly container-remap-root container-writable contiguous disable-status exact exclusive
    help hold immediate kill-on-bad-exit label multi-prog nice no-allocate no-container-entrypoint
    no-container-mount-home no-container-remap-root no-kill overcommit overlap oversubscribe preserve-env
    propagate pty quiet quit-on-interrupt reboot resv-ports send-libs share spread-job stepmgr test-only
    unbuffered usage use-min-nodes verbose version x11
"""


# Steps from this number on are batch scripts and interactive shells: slurm.h, SLURM_BATCH_SCRIPT.
_NO_STEP = 0xFFFFFFF0


def arbitrary(job: Job) -> Written:
    """The host of each rank, one a line; --cpu-bind has a processor for each rank of a node."""
    path = job.directory / "slurm.hosts"
    nodes = list(job.by_host().values())
    cpus = common_processors(nodes)
    words = ["srun", "-n", job.size, "--distribution=arbitrary"]
    if cpus:
        words.append(f"--cpu-bind=map_cpu:{','.join(map(str, cpus))}")
    return Written(
        path,
        "Slurm",
        job.hosts,
        (*words, *job.program),
        (("SLURM_HOSTFILE", str(path)),),
        "" if cpus else binding_note(nodes),
    )


class Step(Relaunching):
    """A step of an allocation that has the hosts, with an arbitrary distribution."""

    name = "Slurm"
    choice = "slurm"
    label = "Slurm"
    files = (arbitrary,)
    placing = names(
        """w nodelist F nodefile m distribution N nodes r relative ntasks-per-node tasks-per-node
        ntasks-per-core ntasks-per-socket contiguous use-min-nodes spread-job"""
    )
    binding = names("cpu-bind")
    distributions = (
        Distribution(("-m", "block"), "block"),
        Distribution(("-m", "cyclic"), "cyclic"),
        *(Distribution(("-m", order)) for order in ("block:cyclic", "cyclic:cyclic")),
    )
    distributing = names("m distribution")

    def hosts_only(self, options: Sequence[Option], environment: Mapping[str, str]) -> bool:
        """By --cpu-bind=none; srun takes no list of them together with several processors a task."""
        several = {"c", "cpus-per-task"} & {option.name for option in options}
        policies = [option.value for option in options if option.name == "cpu-bind"]
        bind = policies[-1] if policies else environment.get("SLURM_CPU_BIND", "")
        return bool(several) or any(map(is_off, bind.split(",")))


class Slurm(Launcher):
    """srun."""

    name = "slurm"
    order = 30
    commands = ("srun",)
    answers = (Answer("Slurm", re.compile(r"^slurm\S* (\d\S*)", re.MULTILINE)),)
    values = dict.fromkeys(_WITH_VALUE.split(), 1)
    # Where the value is optional it comes only after `=` or attached: flags, as far as words go.
    flags = names(_FLAGS)
    counting = names("n ntasks")
    allocated = "SLURM_NTASKS"
    from_file = names("multi-prog")
    file_in_place = from_file
    placings = (Step(),)
    not_started = re.compile(r"execve\(\)", re.IGNORECASE)
    rank = ("SLURM_PROCID",)
    size = ("SLURM_NTASKS",)
    local_rank = ("SLURM_LOCALID",)
    worlds = (World("SLURM_JOB_ID", second="SLURM_STEP_ID"),)

    def rank_identity(self, environment: Mapping[str, str]) -> RankIdentity | None:
        """As for all, but batch scripts and interactive shells have the variables of a rank, too."""
        step, ranks = environment.get("SLURM_STEP_ID", ""), environment.get("SLURM_STEP_NUM_TASKS", "")
        identity = super().rank_identity(environment)
        if not identity or not step.isdecimal() or int(step) >= _NO_STEP or ranks != str(identity.size):
            return None
        return identity._replace(on_node=_ranks_on_node(environment))

    def arity(self, word: str, following: Sequence[str]) -> int:
        """As for all, but short options may have their value attached (`-n4`) or be joined (`-lv`)."""
        short = not word.startswith("--")
        return 0 if short and len(word) > 2 else super().arity(word, following)

    def listed(self, words: Sequence[str]) -> Sequence[str]:
        """Without the tasks, such as `0-3`, that stand first."""
        return words[1:]

    def split(self, option: Option) -> Option:
        """Return `-n 4` for `-n4`."""
        word = option.words[0]
        return option if word.startswith("--") or len(word) <= 2 else Option((word[:2], word[2:]))

    def deliver(
        self,
        programs: Sequence[Sequence[Option]],
        preload: Preload,
        environment: Mapping[str, str],
        theirs: str,
    ) -> Delivery:
        """By srun's own environment, and by name where the user restricts the exported variables."""
        for_all = environment.get("SLURM_EXPORT_ENV", "")
        exports = [o.value for options in programs for o in options if o.name == "export"]
        for entries in [for_all, *exports]:
            theirs = next((e[11:] for e in entries.split(",") if e.startswith("LD_PRELOAD=")), theirs)
        ours = list(preload.variables())
        delivered = [Program(tuple(_exporting(o, ours) for o in options), theirs) for options in programs]
        variables = preload.variables(theirs)
        if for_all:
            variables["SLURM_EXPORT_ENV"] = _export(for_all, ours)
        restricted = any(not _is_all(value) for value in [for_all, *exports] if value)
        return Delivery(tuple(delivered), variables, "srun's environment" + " and --export" * restricted)


def _ranks_on_node(environment: Mapping[str, str]) -> int:
    """Return the ranks of the node by `2(x3),1`, the ranks of each, and its number; -1 if unknown."""
    counts: list[int] = []
    for part in environment.get("SLURM_STEP_TASKS_PER_NODE", "").split(","):
        if match := re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part):
            counts += [int(match[1])] * int(match[2] or 1)
    node = environment.get("SLURM_NODEID", "")
    return counts[int(node)] if node.isdecimal() and int(node) < len(counts) else -1


def _is_all(export: str) -> bool:
    return "ALL" in export.split(",")


def _exporting(option: Option, names: Sequence[str]) -> Option:
    if option.name != "export":
        return option
    return option._replace(words=(f"--export={_export(option.value, names)}",))


def _export(export: str, names: Sequence[str]) -> str:
    """Add our names to the list; NONE and NIL can't stand in one, and mean no more than an empty one."""
    kept = [e for e in export.split(",") if e not in ("", "NONE", "NIL") and e.partition("=")[0] not in names]
    return ",".join(kept if "ALL" in kept else [*kept, *names])


LAUNCHER = Slurm()
