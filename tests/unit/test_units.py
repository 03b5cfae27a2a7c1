from __future__ import annotations

import math

import pytest

from rankwise.analysis.calls.bins import OTHER
from rankwise.analysis.percent import percent
from rankwise.text.units import (
    bin_text,
    bit_rate_text,
    byte_range_text,
    byte_rate_text,
    byte_text,
    change_range_text,
    change_text,
    confidence_text,
    count_text,
    exact_byte_range_text,
    exact_byte_text,
    percent_text,
    second_text,
    second_texts,
    share_error_text,
    sized_calls,
)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (10_230, "9.99 KiB"),
        (102_400, "100 KiB"),
        (1_023_900, "0.976 MiB"),
        (1_048_575, "1.00 MiB"),
        (5 * 2**30, "5.00 GiB"),
        (2**70, "1024 EiB"),
    ],
)
def test_bytes(size: int, text: str) -> None:
    assert byte_text(size) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1025, "1,025 B"),
        (65535, "65,535 B"),
        (65536, "64 KiB"),
        (1536 << 10, "1,536 KiB"),
        (1 << 20, "1 MiB"),
        ((1 << 31) - 1, "2,147,483,647 B"),
        (1 << 31, "2 GiB"),
        (1 << 71, "2,048 EiB"),
    ],
)
def test_bytes_that_are_not_rounded(size: int, text: str) -> None:
    assert exact_byte_text(size) == text


def test_limits_next_to_each_other_differ() -> None:
    texts = [exact_byte_text(size) for size in range((1 << 16) - 2000, (1 << 16) + 2000)]
    assert len(set(texts)) == len(texts)
    assert byte_text(65535) == byte_text(65536) == "64.0 KiB"


def test_ranges_that_are_not_rounded() -> None:
    assert exact_byte_range_text(8, 8) == "8 B"
    assert exact_byte_range_text(0, 65535) == "0 to 65,535 B"
    assert exact_byte_range_text(1024, 1 << 16) == "1 to 64 KiB"
    assert exact_byte_range_text(65535, 65536) == "65,535 B to 64 KiB"


def test_ranges_and_rates_of_bytes() -> None:
    assert byte_range_text(8, 8) == "8 B"
    assert byte_range_text(1024, 65536) == "1.00 KiB - 64.0 KiB"
    assert [byte_rate_text(rate) for rate in (0, 0.4, 0.6, 2048)] == ["0 B", "<1 B", "1 B", "2.00 KiB"]


@pytest.mark.parametrize(
    ("gbit", "text"),
    [
        (math.nan, "-"),
        (400, "400 Gbit/s"),
        (300 / 5.5, "54.5 Gbit/s"),
        (1, "1 Gbit/s"),
        (0.9996, "1 Gbit/s"),
        (0.9994, "999 Mbit/s"),
        (0.05, "50 Mbit/s"),
        (0.0001, "0.1 Mbit/s"),
    ],
)
def test_rates_of_links(gbit: float, text: str) -> None:
    assert bit_rate_text(gbit * 1e9 / 8) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (1e-11, "0.01 ns"),
        (7e-9, "7.00 ns"),
        (45.6e-6, "45.6 us"),
        (0.00123, "1.23 ms"),
        (0.9994, "999 ms"),
        (0.9996, "1.00 s"),
        (78.2, "78.2 s"),
        (12345.6, "12346 s"),
    ],
)
def test_seconds(seconds: float, text: str) -> None:
    assert second_text(seconds) == text


def test_seconds_close_together_have_the_digits_that_tell_them_apart() -> None:
    assert second_texts([2, 4, 10]) == ["2.00 s", "4.00 s", "10.0 s"]
    assert second_texts([0, 0.3351, 0.33515]) == ["0 s", "335.10 ms", "335.15 ms"]
    assert second_texts([0.5, 0.5]) == ["500 ms", "500 ms"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (9999, "9999"),
        (10_000, "10.0 k"),
        (999_499, "999 k"),
        (999_500, "1.00 M"),
        (12_100_000, "12.1 M"),
    ],
)
def test_counts(number: int, text: str) -> None:
    assert count_text(number) == text


@pytest.mark.parametrize(
    ("share", "decimals", "text"),
    [
        (0, 1, "0.0"),
        (0.04, 1, "<0.1"),
        (0.05, 1, "0.1"),
        (19.44, 1, "19.4"),
        (100, 1, "100.0"),
        (0.004, 2, "<0.01"),
        (-0.04, 1, "0.0"),
        (-1.25, 1, "-1.2"),
    ],
)
def test_percent(share: float, decimals: int, text: str) -> None:
    assert percent_text(share, decimals) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.95, "95"),
        (0.951559, "95.2"),
        (0.96875, "96.9"),
        (0.98, "98"),
        (0.9996, "99.96"),
        (1 - 1e-6, "99.9999"),
        (1.0, "100"),
        (0.0, "0"),
    ],
)
def test_confidence(share: float, text: str) -> None:
    assert confidence_text(share) == text


@pytest.mark.parametrize(
    ("share", "low", "high", "decimals", "text"),
    [
        (60.2, 59.0, 61.4, 1, " +- 1.2"),
        (60.0, 60.0, 60.0, 1, ""),
        (60.0, 59.999, 60.001, 0, " +- 1"),
        (88.0, 66.0, 110.0, 0, " (66 to 100)"),
        (4.0, -2.0, 10.0, 1, " (0.0 to 10.0)"),
        (50.0, -50.0, 150.0, 0, " (0 to 100)"),
        (98.7, 95.2, 99.9, 1, " (95.2 to 99.9)"),
        (100.0, 99.99, 100.0, 1, " (99.9 to 100.0)"),
    ],
)
def test_the_error_of_a_share_stays_within_the_whole(
    share: float, low: float, high: float, decimals: int, text: str
) -> None:
    assert share_error_text(share, low, high, decimals) == text


def test_changes_have_their_direction() -> None:
    assert [change_text(change) for change in (1.26, -31.04, 0.04, -0.04, 0.0)] == [
        "+1.3",
        "-31.0",
        "0.0",
        "0.0",
        "0.0",
    ]
    assert change_range_text(-0.21, 0.14) == "-0.2 to +0.1"


@pytest.mark.parametrize(
    ("size_bin", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (2, "2-3 B"),
        (7, "64-127 B"),
        (10, "512-1023 B"),
        (11, "1-2 KiB"),
        (20, "512-1024 KiB"),
        (21, "1-2 MiB"),
        (127, "other"),
    ],
)
def test_size_bins(size_bin: int, text: str) -> None:
    assert bin_text(size_bin) == text


def test_percent_of_parts_of_one() -> None:
    assert [percent(0.1, 0.4), percent(0.0, 0.0), percent(3.0, 2.0)] == [25.0, 0.0, 150.0]


def test_calls_of_a_size_as_a_sentence_begins() -> None:
    assert sized_calls(0, 5) == "Calls without data"
    assert sized_calls(4, 5) == "Calls of 8-15 B"
    assert sized_calls(OTHER, 5) == "Calls of other"
    assert sized_calls(OTHER, 0) == "Calls that never returned"
