"""The page of a measurement holds what was measured, as it was, and names stay names."""

from __future__ import annotations

import re
from typing import Any

import heatmaps
import network_jobs
import numpy as np
import pytest
from numpy.typing import NDArray

from rankwise.latency.dense import from_matrices
from rankwise.render.figures.heatmap.view import View, view
from rankwise.render.page.latency import matrices
from rankwise.render.page.latency.page import latency_page
from rankwise.topology.hierarchy.levels import Outlier

OUTLIER = Outlier(
    kind="slow link",
    where="node0 - node3",
    ranks=(0, 1, 6, 7),
    what="latency",
    size=64,
    value=44.4,
    expected=4.0,
    level="machine",
    verdict="slow alone",
)
HOSTILE = "</script><script>alert(1)</script><img src=http://x/$\\frac{1}$\x1b[31m\u202e&{}"
MIB = 1 << 20


def example(statistic: str = "median", size: int = 64, **how: Any) -> View:
    measurement, hierarchy = heatmaps.machine(outliers=(OUTLIER,), **how)
    return view(measurement, hierarchy, statistic, size)


def cells_of(matrix: dict[str, Any]) -> NDArray[np.float64]:
    """Return a matrix as the page's script reads it."""
    count, values = matrix["cells"], matrix["values"].astype(np.float64)
    if not matrix["symmetric"]:
        return np.asarray(values.reshape(count, count))
    whole = np.full((count, count), np.nan)
    whole[np.triu_indices(count)] = values
    return np.where(np.isnan(whole), whole.T, whole)


def test_every_statistic_in_order() -> None:
    chosen = example("p95", shuffled=True)
    data = network_jobs.data(latency_page(chosen))
    views = [(page_view["statistic"], page_view["size"]) for page_view in data["views"]]
    assert views == [*((name, 64) for name in ("min", "median", "p95")),
                     *((name, MIB) for name in ("min", "median", "p95", "bandwidth"))]  # fmt: skip
    assert views[data["start"]] == ("p95", 64)
    assert data["ranks"].tolist() == chosen.ordering.ranks.tolist()
    assert [data["hosts"][host] for host in data["hostOf"]] == heatmaps.HOSTS
    for page_view in data["views"]:
        expected = chosen.of(page_view["statistic"], page_view["size"]).matrix
        np.testing.assert_array_equal(cells_of(page_view["matrix"]), expected.astype(np.float32))
        assert page_view["histogram"]["edges"].size == page_view["histogram"]["counts"][0].size + 1
    pairs = sum(counts.sum() for counts in data["views"][0]["histogram"]["counts"])
    assert pairs == heatmaps.RANKS * (heatmaps.RANKS - 1) / 2
    assert data["outliers"] == [
        {
            "kind": "slow link",
            "where": "node0 - node3",
            "size": "64 B",
            "measured": "44.4 us",
            "others": "4.00 us",
            "verdict": "slow alone",
        }
    ]
    assert data["levels"][0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3] or len(set(data["levels"][0])) == 4
    assert (data["surface"], data["rounding"]) == (False, 0)


def test_a_page_fetches_nothing() -> None:
    content = latency_page(example()).decode()
    scripts = re.findall(r"<script[^>]*>", content)
    outside = re.sub(r"(<(script|style)[^>]*>).*?(</(script|style)>)", r"\1\3", content, flags=re.DOTALL)
    assert not [tag for tag in scripts if "src" in tag]
    assert not re.search(r"""(src|href|srcset|action)\s*=|url\(|@import|https?:|//""", outside)
    # Whatever the scripts hold: the browser lets them fetch nothing, and runs no others.
    assert "default-src 'none'" in outside
    assert re.search(r"script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'", outside)


def test_names_in_a_page_stay_names() -> None:
    content = latency_page(example(names=HOSTILE))
    plain = latency_page(example())
    assert content.count(b"<script") == plain.count(b"<script")
    assert content.count(b"</script") == plain.count(b"</script")
    [name, *_] = network_jobs.data(content)["hosts"]
    assert name.startswith("</script><script>alert(1)</script><img src=http://x/$")
    assert "\x1b" not in name and "\u202e" not in name


def test_missing_pairs_have_no_value_and_are_told() -> None:
    times = heatmaps.latencies()
    times[0, 7] = times[7, 0] = np.nan
    data = network_jobs.data(latency_page(view(from_matrices(heatmaps.HOSTS, {64: times}), None, "min", 64)))
    np.fill_diagonal(times, np.nan)
    np.testing.assert_array_equal(cells_of(data["views"][0]["matrix"]), times.astype(np.float32))
    assert data["warnings"] == ["not measured: 1 pair (grey)"]
    assert data["hierarchy"] is False


def test_a_page_pools_and_tells_where_the_worst_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "_LEAST_CELLS", 2)
    monkeypatch.setattr(matrices, "_MOST_VALUES", 4)
    times = heatmaps.latencies()
    times[1, 6] = times[6, 1] = 99.0
    measurement = from_matrices(heatmaps.HOSTS, {64: times})
    matrix = network_jobs.data(latency_page(view(measurement, None, "min", 64)))["views"][0]["matrix"]
    assert (matrix["together"], matrix["cells"]) == (4, 2)
    np.testing.assert_array_equal(cells_of(matrix), np.array([[2.0, 99.0], [99.0, 2.0]], np.float32))
    assert matrix["where"].tolist()[1] == 1 * 4 + 2  # row 1, column 4 + 2 of the matrix


def test_many_values_are_rounded_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "_MOST_EXACT", 30)
    random = np.random.default_rng(1)
    times = random.lognormal(sigma=3, size=(40, 40))
    measurement = from_matrices([f"host{rank // 4}" for rank in range(40)], {64: times})
    chosen = view(measurement, None, "median", 64)
    data = network_jobs.data(latency_page(chosen))
    matrix = data["views"][data["start"]]["matrix"]
    assert data["rounding"] == 2.0**-11
    np.testing.assert_allclose(cells_of(matrix), chosen.matrix, rtol=2.0**-11)
    bits = matrix["values"].astype(np.float32).view(np.uint32)[~np.isnan(matrix["values"])]
    assert not (bits & 0x1FFF).any()  # which packs well


@pytest.mark.parametrize(
    ("ranks", "views", "first", "others"),
    [(64, 6, 64, 64), (4096, 1, 4096, 4096), (4096, 6, 4096, 1024), (16_384, 2, 4096, 2048)],
)
def test_how_many_rows_a_page_has(ranks: int, views: int, first: int, others: int) -> None:
    rows = matrices.most_cells(ranks, [example()] * views, 0)
    assert (rows[0], {*rows[1:]}) == (first, {others} if views > 1 else set())
