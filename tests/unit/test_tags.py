"""Tags: the user's, and commit and branch of a checkout or a pipeline, from the launch into the profile."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from rankwise.errors import RankwiseError
from rankwise.launch.tags import tags
from rankwise.profile.collect.launch_note import FILE_NAME, read_launch_note

_GIT = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "PATH": "/usr/bin:/bin",
}


def git(directory: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=directory, env=_GIT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with a commit on branch `team/x`."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    directory = tmp_path / "code"
    directory.mkdir()
    git(directory, "init", "--quiet")
    git(directory, "checkout", "--quiet", "-b", "team/x")
    git(directory, "commit", "--quiet", "--allow-empty", "-m", "first")
    return directory


def test_a_checkout_in_each_of_its_states(checkout: Path) -> None:
    inside = checkout / "build" / "deep"
    inside.mkdir(parents=True)
    commit = git(checkout, "rev-parse", "HEAD")
    expected = {"commit": commit, "branch": "team/x"}
    assert tags([], inside, {}) == expected
    git(checkout, "pack-refs", "--all")
    assert tags([], inside, {}) == expected
    git(checkout, "worktree", "add", "--quiet", "-b", "other", "../tree")
    assert tags([], checkout.parent / "tree", {}) == {"commit": commit, "branch": "other"}
    git(checkout, "checkout", "--quiet", "--detach")
    assert tags([], checkout, {}) == {"commit": commit}


def test_a_checkout_without_commits_or_damaged(tmp_path: Path) -> None:
    assert tags([], tmp_path, {}) == {}
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert tags([], tmp_path, {}) == {"branch": "main"}
    (tmp_path / ".git" / "HEAD").write_text("ref: ../../../etc/passwd\n")
    assert "commit" not in tags([], tmp_path, {})
    (tmp_path / ".git" / "HEAD").write_bytes(b"\xff\xfe")
    assert tags([], tmp_path, {}) == {}
    (tmp_path / ".git" / "HEAD").unlink()
    (tmp_path / ".git").rmdir()
    (tmp_path / ".git").write_text("gitdir: .git\n")
    assert tags([], tmp_path, {}) == {}


def test_pipelines_and_the_user_take_precedence(checkout: Path) -> None:
    github = {"GITHUB_SHA": "a" * 40, "GITHUB_REF_NAME": "12/merge", "GITHUB_HEAD_REF": "fix"}
    assert tags([], checkout, github) == {"commit": "a" * 40, "branch": "fix"}
    assert tags([], checkout, {**github, "GITHUB_HEAD_REF": ""})["branch"] == "12/merge"
    gitlab = {"CI_COMMIT_SHA": "b" * 40, "CI_COMMIT_REF_NAME": "main"}
    assert tags([], checkout, gitlab) == {"commit": "b" * 40, "branch": "main"}
    given = tags(["commit=mine", "size=4=2"], checkout, gitlab)
    assert given == {"commit": "mine", "branch": "main", "size": "4=2"}


@pytest.mark.parametrize("word", ["size", "=4", "size=", "9=4", "a b=4", "size=a\nb", f"size={'x' * 201}"])
def test_a_tag_of_another_form_is_refused(word: str, tmp_path: Path) -> None:
    with pytest.raises(RankwiseError, match=r"^--tag "):
        tags([word], tmp_path, {})


def test_damaged_tags_in_the_note_are_left_out(tmp_path: Path) -> None:
    for noted, expected in (
        ({"size": "4", "when": 5}, (("size", "4"), ("when", "5"))),
        ({"size": ["4"], "a\x1b": "b\x1b"}, (("a\ufffd", "b\ufffd"),)),
        (["size"], ()),
    ):
        (tmp_path / FILE_NAME).write_text(json.dumps({"tags": noted}))
        assert read_launch_note(tmp_path).tags == expected
