"""The words that the latency probe is started with."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from golden import Golden

PROBE = Path(__file__).parents[2] / "src" / "probes" / "latency"
SERIAL = 4
MOST_SIZES = 64


class Options(ctypes.Structure):
    _fields_ = [
        ("directory", ctypes.c_char_p),
        ("mode_name", ctypes.c_char_p),
        ("mode", ctypes.c_int),
        ("sizes", ctypes.c_int * MOST_SIZES),
        ("count", ctypes.c_int),
        ("repeats", ctypes.c_int),
        ("is_exact", ctypes.c_bool),
        ("seed", ctypes.c_uint64),
    ]


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    library = tmp_path_factory.mktemp("probe") / "options.so"
    words = ["cc", "-std=gnu11", "-shared", "-fPIC", "-o", library, PROBE / "options.c"]
    subprocess.run(words, check=True, timeout=120)
    return ctypes.CDLL(str(library))


def read(probe: ctypes.CDLL, *words: str) -> tuple[Options, str]:
    """The options, and what is wrong with them."""
    arguments = (ctypes.c_char_p * (len(words) + 1))(b"latency", *(word.encode() for word in words))
    options, line = Options(), ctypes.create_string_buffer(512)
    probe.options_read(len(arguments), arguments, ctypes.byref(options), line)
    return options, line.value.decode()


def test_words_are_read(probe: ctypes.CDLL) -> None:
    options, wrong = read(probe, "/some/where", "serial", "64,0,1073741824", "100", str(2**64 - 1))
    assert wrong == ""
    assert (options.directory, options.mode_name, options.mode) == (b"/some/where", b"serial", SERIAL)
    assert options.sizes[: options.count] == [64, 0, 2**30]
    assert (options.repeats, options.is_exact, options.seed) == (100, False, 2**64 - 1)
    exact, wrong = read(probe, ".", "quiet", "64", "=7", "1")
    assert (wrong, exact.repeats, exact.is_exact) == ("", 7, True)


def test_as_many_sizes_as_there_may_be(probe: ctypes.CDLL) -> None:
    sizes = list(range(MOST_SIZES))
    options, wrong = read(probe, ".", "quiet", ",".join(map(str, sizes)), "1", "0")
    assert (wrong, options.sizes[: options.count]) == ("", sizes)
    _, wrong = read(probe, ".", "quiet", ",".join(map(str, [*sizes, 64])), "1", "0")
    assert wrong.startswith("wrong sizes 0,1,2,")


WORDS = "five words are needed: DIRECTORY MODE SIZES REPEATS SEED"
SIZES = "give up to 64 numbers of bytes, 0 to 1073741824, comma apart"
REPEATS = "give a number from 1 to 1000000"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("", WORDS),
        (". quiet 64 100", WORDS),
        (". quiet 64 100 1 2", WORDS),
        (". noisy 64 100 1", ""),
        (". quiet 64,-1 100 1", f"wrong sizes 64,-1: {SIZES}"),
        (". quiet 64, 100 1", f"wrong sizes 64,: {SIZES}"),
        (". quiet 64k 100 1", f"wrong sizes 64k: {SIZES}"),
        (". quiet 1073741825 100 1", f"wrong sizes 1073741825: {SIZES}"),
        (". quiet 64 0 1", f"wrong repeats 0: {REPEATS}"),
        (". quiet 64 = 1", f"wrong repeats =: {REPEATS}"),
        (". quiet 64 ==7 1", f"wrong repeats ==7: {REPEATS}"),
        (". quiet 64 6,7 1", f"wrong repeats 6,7: {REPEATS}"),
        (". quiet 64 99999999999999999999 1", f"wrong repeats 99999999999999999999: {REPEATS}"),
        (". quiet 64 100 x", "wrong seed x: give a number"),
    ],
)
def test_wrong_words_are_told(probe: ctypes.CDLL, words: str, reason: str, golden: Golden) -> None:
    golden.says(read(probe, *words.split())[1], reason)


def test_a_long_word_is_cut(probe: ctypes.CDLL, golden: Golden) -> None:
    _, wrong = read(probe, ".", "x" * 10_000, "64", "100", "1")
    golden.says(wrong, " " + "x" * 100 + ": .. quiet, loaded, leaders, sample .. serial")
