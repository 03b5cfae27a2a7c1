"""Tools that run a program in a container, and how they are given the library and the run directory.

A program in a container sees a different file system. It is recorded if it finds the directory of the library
and the run directory under the same paths, and Rankwise's variables in its environment. Where the tool itself
has variables for that, they are set; otherwise a message names what to add: the command is never rewritten.

Sources: apptainer's action_flags.go (of the two variables for binds both count), podman-run(1), `docker run`,
ch-run(1), `enroot start`, the README of pyxis, Sarus' user guide, Shifter's manual.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rankwise.launchers.base import Preload


class Tool(NamedTuple):
    """A row of the table.

    Attributes:
        commands: its names.
        bind: what to add for a folder, {0}.
        one_option: what several of these go behind, separated by commas; '' = each is an option.
        variable: what to add for a variable {0} of value {1}; '' = the environment passes.
        variables: which of our variables need that; if empty, all do.
        verbs: subcommands that start a program; none if it has no subcommands.
        entering: those verbs that do it in an existing container.
        before_verb: options before the verb that take the next word as value.
        values: options after it that do. Those of one letter can be joined, and have the value attached.
        flags: options that take no value, where that list is shorter: all others take one then.
        shared: folder that programs see by default, and the options that take it away.
        images: words between the options and the program.
        prefixes: of the tool's own variables, by command, where these hand over binds and environment.
    """

    commands: tuple[str, ...]
    bind: str
    one_option: str = ""
    variable: str = ""
    variables: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    entering: tuple[str, ...] = ()
    before_verb: str = ""
    values: str = ""
    flags: str = ""
    shared: tuple[str, ...] = ()
    images: int = 1
    prefixes: Mapping[str, str] = {}

    def takes_next(self, option: str) -> bool:
        """Whether the word behind an option is its value."""
        if option.startswith("--"):
            return "=" not in option and self._has_value(option)
        letters = option[1:]
        first = next((i for i, letter in enumerate(letters, 1) if self._has_value(f"-{letter}")), 0)
        return first == len(letters)

    def _has_value(self, option: str) -> bool:
        return option not in self.flags.split() if self.flags else option in self.values.split()


_TABLE = (
    Tool(
        commands=("apptainer", "singularity"),
        bind="--bind {0}",
        verbs=("exec", "run"),
        before_verb="-c --config --build-config",
        values="""
            --add-caps --app --apply-cgroups --authfile -B --bind --blkio-weight --blkio-weight-device
            --cdi-dirs --cpu-shares --cpus --cpuset-cpus --cpuset-mems --cwd --device --dmtcp-launch
            --dmtcp-restart --dns --docker-host --drop-caps --env --env-file --fusemount -H --home
            --hostname --memory --memory-reservation --memory-swap --mount --netns-path --network
            --network-args --no-mount -o --overlay --pem-path --pids-limit --pwd -S --scratch --security
            --tmpdir --vm-cpu --vm-ip --vm-ram -W --workdir
        """,
        prefixes={"apptainer": "APPTAINER", "singularity": "SINGULARITY"},
    ),
    Tool(
        commands=("podman", "docker", "podman-hpc"),
        bind="-v {0}:{0}",
        variable="-e {0}",  # without a value: taken from the environment of the tool
        verbs=("run", "exec"),
        entering=("exec",),
        before_verb="""
            --cgroup-manager --config --conmon -c --connection --context --events-backend -H --hooks-dir
            --host --identity -l --log-level --module --namespace --network-cmd-path --network-config-dir
            --root --runroot --runtime --runtime-flag --ssh --storage-driver --storage-opt --tlscacert
            --tlscert --tlskey --tmpdir --url --volumepath
        """,
        flags="""
            -d --detach --disable-content-trust --env-host --help --http-proxy --init -i --interactive
            --latest --no-healthcheck --no-hostname --no-hosts --oom-kill-disable --passwd --privileged -P
            --publish-all -q --quiet --read-only --read-only-tmpfs --replace --rm --rmi --rootfs --sig-proxy
            --tls-verify -t --tty --unsetenv-all --use-api-socket
        """,
    ),
    Tool(
        commands=("ch-run",),
        bind="-b {0}",
        shared=("/tmp", "-t", "--private-tmp"),
        values="""
            -b --bind -c --cd -d --dir --feature -g --gid --join-ct --join-pid --join-tag -m --mount -s
            --storage -u --uid --unset-env
        """,
    ),
    # The dynamic linker takes LD_PRELOAD out of the environment of set-uid programs such as the next two.
    Tool(
        commands=("shifter",),
        bind="--volume={0}:{0}",
        variable="--env={0}={1}",
        variables=("LD_PRELOAD",),
        values="-e --env --env-file -i --image -m --module -V --volume -w --workdir",
        images=0,
    ),
    Tool(
        commands=("sarus",),
        bind="--mount=type=bind,source={0},destination={0}",
        variable="--env={0}={1}",
        variables=("LD_PRELOAD",),
        verbs=("run",),
        values="--annotation --device --entrypoint -e --env --mount --mpi-type -n --name --pid -w --workdir",
    ),
    Tool(
        commands=("enroot",),
        bind="--mount {0}:{0}",
        variable="--env {0}",
        verbs=("start",),
        values="-c --conf -e --env -m --mount --rc",
    ),
)
_BY_COMMAND = {command: tool for tool in _TABLE for command in tool.commands}
_PYXIS = Tool(commands=("srun",), bind="{0}:{0}", one_option="--container-mounts=")
_PYXIS_OPTIONS = ("--container-image", "--container-name")


class Container(NamedTuple):
    """A container on a command line.

    Attributes:
        tool: that makes it.
        words: the tool's own: its name, options and image.
        verb: its subcommand, '' without one.
    """

    tool: Tool
    words: tuple[str, ...]
    verb: str = ""

    @property
    def name(self) -> str:
        """How users call it."""
        return f"{PurePath(self.words[0]).name} {self.verb}".strip()

    def to_add(self, preload: Preload) -> str:
        """Return the options that let the program see Rankwise, as far as they are not there.

        The run directory has another name in each run, so it is the folder that it is in.
        """
        folders = [preload.library.parent, _lasting(preload.directory)]
        ours = preload.variables()
        binds = [f for i, f in enumerate(folders) if f not in folders[:i] and not self._sees(f)]
        entries = [self.tool.bind.format(shlex.quote(str(folder))) for folder in binds]
        if self.tool.one_option and entries:
            entries = [self.tool.one_option + ",".join(entries)]
        wanted = (self.tool.variables or tuple(ours)) if self.tool.variable else ()
        options = [
            self.tool.variable.format(name, shlex.quote(ours[name]))
            for name in wanted
            if not any(name in word for word in self.words)
        ]
        if self.verb in self.tool.entering and entries:
            return " ".join([*options, "and, where the container is made,", *entries])
        return " ".join([*entries, *options])

    def _sees(self, folder: Path) -> bool:
        """Whether an option binds a folder, or one that it is in, as far as the words tell."""
        place, *private = self.tool.shared or ("",)
        if place and folder.is_relative_to(place) and not set(private) & set(self.words):
            return True
        entries = [entry for word in self.words[1:] for entry in word.split(",")]
        paths = [[part for part in _parts(entry) if part.startswith("/")] for entry in entries]
        return any(path and folder.is_relative_to(path[-1]) for path in paths)


def _parts(entry: str) -> list[str]:
    return entry.replace("=", ":").split(":")


def _lasting(directory: Path) -> Path:
    return directory if len(directory.parts) <= 2 else directory.parent


def recognise(command: Sequence[str]) -> Container | None:
    """Recognise a command that runs something in a container, and which of its words belong to that."""
    words = tuple(command)
    tool = _BY_COMMAND.get(PurePath(words[0]).name) if words else None
    if tool is None:
        return None
    end = 1
    verb = ""
    if tool.verbs:
        while words[end : end + 1] and words[end].startswith("-"):
            end += 2 if words[end] in tool.before_verb.split() else 1
        end += words[end : end + 1] == ("container",)  # `podman container run` is `podman run`
        verb = "".join(words[end : end + 1])
        if verb not in tool.verbs:
            return None
        end += 1
    while words[end : end + 1] and words[end].startswith("-") and words[end] != "--":
        end += 2 if tool.takes_next(words[end]) else 1
    end += words[end : end + 1] == ("--",)
    end += tool.images
    end += words[end : end + 1] == ("--",)
    return Container(tool, words[:end], verb)


def of_slurm(launcher: str, options: Iterable[Sequence[str]]) -> Container | None:
    """Recognise the containers that pyxis makes: by options of srun.

    Args:
        launcher: the command.
        options: its options with their values.
    """
    words = [word for option in options for word in option]
    if PurePath(launcher).name != "srun" or not any(w.partition("=")[0] in _PYXIS_OPTIONS for w in words):
        return None
    return Container(_PYXIS, (launcher, *words))


def variables(
    containers: Iterable[Container],
    words: Sequence[str],
    environment: Mapping[str, str],
    preload: Preload,
) -> dict[str, str]:
    """Return the tools' own variables that bind our folders and set our variables inside.

    Args:
        containers: of the command.
        words: all words of the command.
        environment: that it is started with.
        preload: the files that must be visible inside.
    """
    made: dict[str, str] = {}
    for prefix in sorted({prefix for container in containers if (prefix := _prefix(container))}):
        if bind := _bind_variable(prefix, words, environment, preload):
            made[bind] = f"{preload.library.parent},{preload.directory}"
        inside = f"{prefix}ENV_"
        theirs = environment.get(f"{inside}LD_PRELOAD", environment.get("LD_PRELOAD", ""))
        made |= {f"{inside}{name}": value for name, value in preload.variables(theirs).items()}
    return made


def missing(
    containers: Iterable[Container],
    words: Sequence[str],
    environment: Mapping[str, str],
    preload: Preload,
) -> list[str]:
    """Return what to add to the command for containers that would not see Rankwise, in words.

    Args:
        containers: of the command.
        words: all words of the command.
        environment: that it is started with.
        preload: the files that must be visible inside.
    """
    lines = {}
    for container in containers:
        prefix = _prefix(container)
        if prefix and _bind_variable(prefix, words, environment, preload):
            continue
        if options := container.to_add(preload):
            lines[container.name] = f"add to `{container.name}`: {options}"
    return list(lines.values())


def _prefix(container: Container) -> str:
    """Prefix of a tool's own variables, '' without any; `singularity` is often a link to another tool."""
    command, known = container.words[0], container.tool.prefixes
    real = os.path.realpath(shutil.which(command) or command) if known else command
    return known.get(PurePath(real).name, known.get(PurePath(command).name, ""))


def _bind_variable(
    prefix: str, words: Sequence[str], environment: Mapping[str, str], preload: Preload
) -> str:
    """Return a variable for binds that the user does not use; '' = both are in use."""
    if set(":,") & set(f"{preload.library}{preload.directory}"):
        return ""  # they separate paths
    for key in ("BIND", "BINDPATH"):
        # Apptainer takes the variables of Singularity, too, but not both of one key.
        names = [f"{known}_{key}" for known in ("APPTAINER", "SINGULARITY")]
        in_words = any(name == word or f"{name}=" in word for name in names for word in words)
        if not in_words and not any(name in environment for name in names):
            return f"{prefix}_{key}"
    return ""
