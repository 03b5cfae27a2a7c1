"""The file of settings: JSON that people can read, described by docs/reference/settings.md.

With it come files that work without Rankwise: variables for a shell, the library's own file, and the places
of ranks for launchers.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from rankwise.errors import RankwiseError
from rankwise.launchers.binding import Binding
from rankwise.launchers.placing import Written
from rankwise.profile.join import members
from rankwise.topology.machine.fields import MOST_OBJECTS, Field
from rankwise.tuning.libraries import libraries
from rankwise.tuning.settings.apply import translate
from rankwise.tuning.settings.model import About, Settings
from rankwise.tuning.settings.places import for_launchers, how_to_use
from rankwise.tuning.settings.rank_order import RankOrder
from rankwise.tuning.settings.rule import Algorithm, Evidence, Raced, Rule
from rankwise.tuning.settings.translation import Translation
from rankwise.tuning.settings.words import comment, how_to_order, one_line
from rankwise.whole_files import appearing, refuse_existing

VERSION = 1
OPTION = "-o"
"""The option that names the file to write."""

_SHELL = ".env"
_PLACES = ".places"
_MARK = "rankwise_settings"
_REQUIRED = (_MARK, "about", "rules", "environment", "bindings")
_ORDER = "order"
_KEYS = (*_REQUIRED, _ORDER)
_ABOUT = tuple(field.name for field in fields(About))
_GAIN = ("ratio", "low", "high", "confidence", "pairs")
_MOST = (1 << 63) - 1
_MOST_BYTES = 64 << 20
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OURS = re.compile(r"LD_|RANKWISE_")  # Rankwise itself needs these
_PROCEDURE = re.compile(r"MPI_[A-Z][a-z_]{1,40}")
_CURE = "`rankwise tune -o FILE` makes one"


def read(path: Path) -> Settings:
    """Read a file of settings.

    Raises:
        RankwiseError: it can't be read or has other contents: one line that names the place in the file.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise RankwiseError(f"cannot read {path}: {error.strerror}; {_CURE}") from error
    try:
        if len(content) > _MOST_BYTES:
            raise RankwiseError(f"is not a settings file: it is too large; {_CURE}")
        return _settings(Field(_parsed(content)))
    except RankwiseError as error:
        raise RankwiseError(f"{path}: {error}") from error


def write(settings: Settings, path: Path, *, force: bool = False) -> None:
    """Write only a file of settings.

    Raises:
        RankwiseError: it exists and may not be replaced, or can't be written, or could not be read again.
    """
    text = _text(settings)
    refuse_existing(path, force=force, option=OPTION)
    with appearing(path, option=OPTION) as (temporary,):
        temporary.write_text(text, encoding="ascii")


def write_all(
    settings: Settings, path: Path, *, force: bool = False, library_path: Path | None = None, launch: str = ""
) -> list[Path]:
    """Write a file of settings and the files that work without Rankwise: all of them, or none.

    Args:
        settings: to be written.
        path: of the file; the others have its name with another ending.
        force: replace existing files.
        library_path: see apply.translate.
        launch: the command of the measured launch with the places of ranks, by the files in `places_beside`;
            '' if there are no places, or it is unknown.

    Returns:
        the written files, Rankwise's first; of places, only their directory.

    Raises:
        RankwiseError: a file exists and may not be replaced, or can't be written, or the library can't take
            these settings.
    """
    text = _text(settings)
    translation = translate(settings, library_path)
    own = _beside(path, translation.suffix).absolute()
    shell, directory = _beside(path, _SHELL), places_beside(path)
    places = for_launchers(settings, directory)
    how = [*how_to_use(places, launch), *how_to_order(settings, path)]
    texts = {path: text, shell: _for_shell(settings, translation, own, shell, how)}
    if translation.suffix:
        texts[own] = translation.text
    written = [*texts, *([directory] if places else [])]
    texts |= {file.path: file.text for file in places}
    refuse_existing(*texts, force=force, option=OPTION)
    with _directory(directory, places), appearing(*texts, option=OPTION) as temporary:
        for place, content in zip(temporary, texts.values(), strict=True):
            place.write_text(content, encoding="utf-8")
    return written


@contextmanager
def _directory(directory: Path, files: Sequence[Written]) -> Iterator[None]:
    """Make the directory of some files; remove it again if it stays empty."""
    if not files:
        yield
        return
    try:
        directory.mkdir(exist_ok=True)
        yield
    except OSError as error:
        raise RankwiseError(
            f"{directory} can't be created: {error.strerror}; choose another path with {OPTION}", 1
        ) from error
    finally:
        with suppress(OSError):  # it is not empty
            directory.rmdir()


def check_new(path: Path, *, force: bool) -> None:
    """Refuse a name that could not be written at the end, before anything is measured.

    Args:
        path: of the file; the others have its name with another ending.
        force: whether existing files may be replaced.

    Raises:
        RankwiseError: a file exists already, or its directory does not.
    """
    if not path.absolute().parent.is_dir():
        raise RankwiseError(
            f"{path.parent} is not a directory: create it, or give another path with {OPTION}"
        )
    suffixes = (_SHELL, *(library.suffix for library in libraries() if library.suffix))
    refuse_existing(path, *(_beside(path, suffix) for suffix in suffixes), force=force, option=OPTION)
    places = places_beside(path)
    refuse_existing(*(places.iterdir() if places.is_dir() else [places]), force=force, option=OPTION)


def places_beside(path: Path) -> Path:
    """Return the directory of the places of ranks, next to a file of settings."""
    return _beside(path, _PLACES).absolute()


def _beside(path: Path, suffix: str) -> Path:
    stem = path.with_suffix("") if path.suffix == ".json" else path
    return stem.with_name(f"{stem.name}{suffix}")


def _for_shell(
    settings: Settings, translation: Translation, own: Path, shell: Path, places: Sequence[str]
) -> str:
    """Return lines that a shell reads by `.`, with explanations.

    Args:
        settings: behind the variables.
        translation: of the settings.
        own: the library's own file.
        shell: the file of these lines.
        places: comments on the places of ranks, and on their order.
    """
    variables = translation.variables_for(str(own))
    how = [
        "# Source this file in a shell before starting the job:",
        f"#   . {one_line(shlex.quote(_for_dot(shell)))}",
        "# Launchers pass these variables to processes on other nodes. They apply to every MPI",
        "# program that is started from this shell.",
    ]
    how += [f"# Note: {note}." for note in translation.notes]
    if translation.suffix:
        how += ["# The file named below must be visible to every node; if you move it, change its name here."]
    lines = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    if translation.suffix:
        lines = _if_there(own, shell, lines)
    return "".join(f"{line}\n" for line in [*comment(settings), "#", *how, *places, "", *lines])


def _for_dot(shell: Path) -> str:
    """Return a file's name for the command `.`, which would search PATH for a name without a slash."""
    return str(shell) if shell.is_absolute() or len(shell.parts) > 1 else f"./{shell}"


def _if_there(own: Path, shell: Path, exports: Sequence[str]) -> list[str]:
    """Return lines of a shell that set variables only if the library's own file can be read.

    Without it, Open MPI takes its defaults and says nothing, and MPICH crashes.
    """
    gone = f"{shell.name}: {own} can't be read, so nothing is set: restore it, or change its name in {shell}"
    return [
        f"if [ -r {shlex.quote(str(own))} ]; then",
        *(f"  {line}" for line in exports),
        "else",
        f"  echo {shlex.quote(gone)} >&2",
        "fi",
    ]


def _text(settings: Settings) -> str:
    """Return the text of the file, or raise RankwiseError if it could not be read again."""
    about = asdict(settings.about)
    if settings.about.gain:
        about["gain"] = dict(zip(_GAIN, settings.about.gain, strict=True))
    content = {
        _MARK: VERSION,
        "about": about,
        "rules": [asdict(rule) for rule in settings.rules],
        "environment": dict(settings.environment),
        "bindings": [asdict(binding) for binding in settings.bindings],
        # Otherwise earlier versions can read the file.
        **({_ORDER: asdict(settings.order)} if settings.order else {}),
    }
    # The text is read, not the object: Python has tuples where JSON has lists.
    text = json.dumps(content, indent=1)
    _settings(Field(_parsed(text.encode())))
    return f"{text}\n"


def _parsed(content: bytes) -> object:
    try:
        return json.loads(content.decode(), object_pairs_hook=_once)
    except UnicodeDecodeError as error:
        raise RankwiseError(f"is not a settings file: byte {error.start} is not UTF-8; {_CURE}") from error
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}; {_CURE}"
        raise RankwiseError(message) from error
    except RecursionError as error:
        raise RankwiseError(f"is not a settings file: it is nested too deeply; {_CURE}") from error
    except ValueError as error:  # a number of thousands of digits
        raise RankwiseError(f"is not a settings file: a number is too long; {_CURE}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    pairs_by_name = dict(pairs)
    if len(pairs_by_name) < len(pairs):
        raise RankwiseError("an object has the same key twice: remove one of them")
    return pairs_by_name


def _settings(file: Field) -> Settings:
    if not isinstance(file.value, dict) or _MARK not in file.value:
        raise RankwiseError(f'is not a settings file: "{_MARK}" is missing; {_CURE}')
    version = file.keys(None)[_MARK]
    if version.whole(1, _MOST) != VERSION:
        raise version.error(f"this Rankwise reads version {VERSION}; use the one that wrote the file")
    keys = file.keys(_KEYS, required=_REQUIRED)
    made = Settings(
        _about(keys["about"]),
        tuple(_rule(field) for field in keys["rules"].items()),
        dict(_variable(name, field) for name, field in keys["environment"].keys(None).items()),
        tuple(_binding(field) for field in keys["bindings"].items()),
        _order(keys[_ORDER]) if _ORDER in keys else None,
    )
    if made.order and made.bindings:
        raise keys[_ORDER].error("the bindings place the ranks already: remove one of the two")
    return made


def _about(field: Field) -> About:
    keys = field.keys(_ABOUT, required=_ABOUT)
    gain = None
    if keys["gain"].value is not None:
        of_gain = keys["gain"].keys(_GAIN, required=_GAIN)
        ratio, low, high, confidence = (of_gain[name].number() for name in _GAIN[:-1])
        gain = (ratio, low, high, confidence, of_gain["pairs"].whole(0, _MOST))
    return About(
        **{name: keys[name].text() for name in ("rankwise", "created", "abi")},
        library=_word(keys["library"]),  # MPICH's has a tabulator
        hosts=tuple(host.text() for host in keys["hosts"].items()),
        command=tuple(_word(word) for word in keys["command"].items()),
        gain=gain,
    )


def _word(field: Field) -> str:
    """Return any text, such as a word of a command."""
    if not isinstance(field.value, str):
        raise field.error("must be a text")
    return field.value


def _rule(field: Field) -> Rule:
    names = [attribute.name for attribute in fields(Rule)]
    keys = field.keys(names, required=names)
    procedure = keys["procedure"].text()
    if not _PROCEDURE.fullmatch(procedure):
        raise keys["procedure"].error("must be a collective, such as MPI_Allreduce")
    low = keys["low"].whole(0, _MOST)
    high = None if keys["high"].value is None else keys["high"].whole(low, _MOST)
    if high is None and low:
        raise keys["low"].error("must be 0 where `high` is null: the rule is for all sizes")
    processes = keys["processes"].whole(1, (1 << 31) - 2)
    return Rule(
        procedure,
        processes,
        low,
        high,
        _algorithm(keys["algorithm"]),
        None if keys["evidence"].value is None else _evidence(keys["evidence"]),
        tuple(_raced(raced, processes) for raced in keys["raced"].items()),
    )


def _algorithm(field: Field) -> Algorithm:
    names = [attribute.name for attribute in fields(Algorithm)]
    keys = field.keys(names, required=names)
    segment = keys["segment"].whole(0, (1 << 31) - 1)
    return Algorithm(keys["name"].name(), keys["number"].whole(0, 10_000), segment)


def _evidence(field: Field) -> Evidence:
    names = [attribute.name for attribute in fields(Evidence)]
    keys = field.keys(names, required=names)
    measured = {name: keys[name].number() for name in names if name != "rounds"}
    return Evidence(**measured, rounds=keys["rounds"].whole(0, _MOST))


def _raced(field: Field, processes: int) -> Raced:
    names = [attribute.name for attribute in fields(Raced)]
    keys = field.keys(names, required=names)
    groups = keys["groups"].items(1)
    if len(groups) * processes > MOST_OBJECTS:
        raise keys["groups"].error(f"must have at most {MOST_OBJECTS} processes")
    texts = [_group(group, processes) for group in groups]
    ranks = [rank for text in texts for rank in members.parse(text)]
    if len(set(ranks)) < len(ranks):
        raise keys["groups"].error("a process is listed twice")
    late = keys["late_us"].items()
    if late and len(late) != len(ranks):
        raise keys["late_us"].error(f"must be empty, or have one for each of {len(ranks)} processes")
    share = keys["share"].number()
    if not share:
        raise keys["share"].error("must be above 0")
    return Raced(
        keys["size"].whole(0, _MOST),
        keys["calls"].whole(1, _MOST),
        share,
        keys["root"].whole(0, processes - 1),
        tuple(texts),
        tuple(seconds.number() for seconds in late),
    )


def _group(field: Field, processes: int) -> str:
    text = field.text()
    try:
        count = members.count(text)
    except ValueError as error:
        raise field.error(f"must be ranks, such as 0-3,8: {error}") from error
    if count != processes:
        raise field.error(f"must have {processes} processes, because the rule is for that number")
    return text


def _variable(name: str, field: Field) -> tuple[str, str]:
    if not _VARIABLE.fullmatch(name):
        raise RankwiseError("environment: the name of a variable has letters, digits and _ only")
    if _OURS.match(name):
        raise field.error("can't be set: Rankwise uses it to enter the program")
    return name, field.text()


def _binding(field: Field) -> Binding:
    names = [attribute.name for attribute in fields(Binding)]
    keys = field.keys(names, required=("rank", "host"))
    numbers = {name: keys[name] for name in names if name != "host" and name in keys}
    return Binding(
        host=keys["host"].name(),
        **{
            name: -1 if number.value == -1 else number.whole(0, (1 << 31) - 1)
            for name, number in numbers.items()
        },
    )


def _order(field: Field) -> RankOrder:
    names = [attribute.name for attribute in fields(RankOrder)]
    keys = field.keys(names, required=names)
    ranks = keys["new_rank"].items(1)
    new_rank = tuple(rank.whole(0, len(ranks) - 1) for rank in ranks)
    if len(set(new_rank)) < len(new_rank):
        raise keys["new_rank"].error(f"must have each rank from 0 to {len(ranks) - 1} once")
    node = tuple(number.whole(0) for number in keys["node"].items())
    if len(node) != len(new_rank):
        raise keys["node"].error(f"must have a number for each of {len(new_rank)} ranks")
    return RankOrder(new_rank, node)
