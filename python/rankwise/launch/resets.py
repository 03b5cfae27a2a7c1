"""Lines of shell scripts that take LD_PRELOAD, or all variables, away from what they start.

Programs that a script starts find Rankwise by its environment. So if nothing was recorded, or for `doctor`,
the script and the scripts that it starts are searched for such lines. A line that keeps the old value is
harmless: `LD_PRELOAD=other.so:$LD_PRELOAD`.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_MOST_BYTES = 1 << 20
_MOST_SCRIPTS = 20
_NAME = "LD_PRELOAD"
_KEPT = f'"${_NAME}"'
_OURS = f'{_NAME}={_KEPT} RANKWISE_DIR="$RANKWISE_DIR"'
_WORD = r"""(?:"[^"]*"|'[^']*'|[^\s;&|"'])*"""


class Reset(NamedTuple):
    """A line that resets the environment.

    Attributes:
        script: with the line.
        number: of the line, from 1.
        line: as it is.
        cure: what to do.
    """

    script: Path
    number: int
    line: str
    cure: str

    @property
    def text(self) -> str:
        """Say it as part of a sentence."""
        return (
            f"{self.script}, line {self.number}, removes Rankwise from the environment of the programs "
            f"it starts: {self.line}"
        )


def resets(script: Path, environment: Mapping[str, str]) -> list[Reset]:
    """Return the lines of a script, and of the scripts that it starts, that reset the environment.

    Args:
        script: to read.
        environment: with the PATH that its commands are looked for on.
    """
    resets_in_scripts: list[Reset] = []
    scripts = [script]
    for current in scripts:  # grows during the loop
        for number, line in _lines(current):
            if advice := cure(line):
                resets_in_scripts.append(Reset(current, number, line, advice))
            started = _scripts_of(line, current, environment)
            scripts += [other for other in started if other not in scripts][: _MOST_SCRIPTS - len(scripts)]
    return resets_in_scripts


def _lines(script: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a shell script without comments, with their numbers; none for binary files."""
    try:
        content = script.read_bytes()
    except OSError:
        return
    if len(content) > _MOST_BYTES or b"\0" in content:
        return
    for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
        if (bare := line.strip()) and not bare.startswith("#"):
            yield number, bare


def cure(line: str) -> str:
    """Return what to do about a line; '' if it does no harm."""
    if match := _ROOT.search(line):
        return f"start everything as that user: {match['word']} rankwise run -- COMMAND"
    for pattern, change in _RESETS:
        if not (match := pattern.search(line)) or _keeps(line, match):
            continue
        instead = f"{line[: match.start()]}{change(match)}{line[match.end() :]}"
        instead = " ".join(instead.split()).strip(";& ")
        return f"write instead: {instead}" if instead else "remove that line"
    return ""


def _keeps(line: str, match: re.Match[str]) -> bool:
    """Whether a line keeps the old value, as `LD_PRELOAD=other.so:$LD_PRELOAD` does."""
    return re.search(rf"\${{?{_NAME}\b", line[match.start() :]) is not None


def _assigned(match: re.Match[str]) -> str:
    value = match["value"].strip("\"'")
    return f'{match["keyword"]}"{value}:${_NAME}"' if value else ""


def _unset(match: re.Match[str]) -> str:
    others = [word for word in match["names"].split() if word != _NAME]
    are_left = any(not word.startswith("-") for word in others)
    return " ".join([match["keyword"], *others]) if are_left else ""


_ROOT = re.compile(r"(?:^|[;&|]\s*|\bexec\s+)(?P<word>sudo|doas|pkexec)\s")
_RESETS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\benv\s+(?:-i|-|--ignore-environment)(?=\s)"), lambda match: f"{match[0]} {_OURS}"),
    (re.compile(r"\bexec\s+-c(?=\s)"), lambda _: f"exec env -i {_OURS}"),
    (re.compile(rf"\benv\s+(?:-u\s*|--unset=){_NAME}(?=\s)"), lambda _: "env"),
    (
        re.compile(rf"\b(?P<keyword>unset|unsetenv|export\s+-n)(?P<names>\s[^;&|]*?\b{_NAME}\b[^;&|]*)"),
        _unset,
    ),
    (re.compile(rf"\b(?P<keyword>setenv\s+{_NAME}\s+)(?P<value>{_WORD})"), _assigned),
    (re.compile(rf"(?<![\w$])(?P<keyword>(?:export\s+)?{_NAME}=)(?P<value>{_WORD})"), _assigned),
)
"""What resets the environment, and what to write in its place."""


def _scripts_of(line: str, script: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the shell scripts that a line may start."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return []
    scripts = []
    for word in words:
        if "$" in word or not word or len(word) > 4096:
            continue
        on_path = shutil.which(word, path=environment.get("PATH")) if "/" not in word else None
        for path in (Path(on_path),) if on_path else (Path(word), script.parent / word):
            if path.is_file() and _is_shell_script(path):
                scripts.append(path)
                break
    return scripts


def _is_shell_script(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return re.match(rb"#!.*\b(?:ba|da|z|k|c|tc)?sh\b", file.readline(256)) is not None
    except OSError:
        return False
