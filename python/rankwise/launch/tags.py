"""What tells this run from others of the same program: the user's --tag, and the state of the source code.

Commit and branch come from the variables of GitHub's and GitLab's pipelines, else from the git checkout that
the working directory is in. Its files are read directly: git may be absent on compute nodes, and it refuses
checkouts of other users.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from rankwise.errors import RankwiseError

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_LONGEST_VALUE = 200  # characters
_MOST_BYTES = 1 << 20  # of a file of git that is read
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_OF_PIPELINES = {
    # The branch of a pull request is the first of these that is set: GITHUB_REF_NAME is "12/merge" there.
    "commit": ("GITHUB_SHA", "CI_COMMIT_SHA"),
    "branch": ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"),
}


def tags(given: Iterable[str], directory: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the tags of a run by name: commit and branch, if they are known, and the user's.

    Args:
        given: the words of --tag: NAME=VALUE. They take precedence.
        directory: in which the job is launched.
        environment: of the launch.

    Raises:
        RankwiseError: a word has another form.
    """
    return {**_of_checkout(directory), **_of_pipeline(environment), **dict(map(_taken_apart, given))}


def _taken_apart(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not _NAME.fullmatch(name):
        raise RankwiseError(
            f"--tag {word}: give NAME=VALUE, such as size=1024; a name has letters, digits, `_`, `.` and `-`"
        )
    if not value or len(value) > _LONGEST_VALUE or not value.isprintable():
        raise RankwiseError(f"--tag {name}: give 1 to {_LONGEST_VALUE} printable characters as value")
    return name, value


def _of_pipeline(environment: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, variables in _OF_PIPELINES.items():
        values = filter(None, map(environment.get, variables))
        if value := next(values, None):
            found[name] = _harmless(value)
    return found


def _of_checkout(directory: Path) -> dict[str, str]:
    """Return commit and branch of the git checkout that a directory is in; nothing if it is in none."""
    with suppress(OSError, UnicodeDecodeError, RuntimeError):
        for folder in (directory, *directory.parents):
            git = folder / ".git"
            if git.is_file():  # a worktree or submodule: `gitdir: PATH`
                git = folder / _read(git).removeprefix("gitdir:").strip()
            if (git / "HEAD").is_file():
                return _head(git)
    return {}


def _head(git: Path) -> dict[str, str]:
    head = _read(git / "HEAD").strip()
    if not head.startswith("ref:"):
        return {"commit": head} if _COMMIT.fullmatch(head) else {}
    ref = head.removeprefix("ref:").strip()
    common = git / _read(git / "commondir").strip() if (git / "commondir").is_file() else git
    commit = _commit(common, ref)
    return {
        **({"commit": commit} if commit else {}),
        "branch": _harmless(ref.removeprefix("refs/heads/")),
    }


def _commit(git: Path, ref: str) -> str:
    """Return the commit that a ref stands for; '' = the branch has none yet."""
    if ".." not in Path(ref).parts and (git / ref).is_file():
        commit = _read(git / ref).strip()
        return commit if _COMMIT.fullmatch(commit) else ""
    if (git / "packed-refs").is_file():
        for line in _read(git / "packed-refs").splitlines():
            commit, _, name = line.partition(" ")
            if name == ref and _COMMIT.fullmatch(commit):
                return commit
    return ""


def _read(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.read(_MOST_BYTES)


def _harmless(text: str) -> str:
    return "".join(filter(str.isprintable, text))[:_LONGEST_VALUE]
