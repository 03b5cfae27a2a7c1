"""The network adapters of the node, in a tree as the kernel's, with every MPI: programs/places.c."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from libraries import Mpi
from recording import Compile, Recording, run_on

RANKS = 2
CPU = min(os.sched_getaffinity(0))
COLUMNS = (
    "device, port, node_guid, node_description, port_guid, subnet_prefix, lid, lid_mask_count, sm_lid, state,"
    " rate, link_layer"
)
PREFIX = "0xfe80000000000000"


def adapter(root: Path, device: str, files: dict[str, str], description: str = "node01") -> None:
    """Make the files of an adapter whose port 1 is as on a node of a large machine, but for `files`."""
    defaults = {
        "node_guid": "0002:c903:00a1:b2c4",
        "node_desc": f"{description} {device}",
        "ports/1/gids/0": "fe80:0000:0000:0000:0002:c903:00a1:b2c5",
        "ports/1/lid": "0x1a",
        "ports/1/lid_mask_count": "2",
        "ports/1/sm_lid": "0x1",
        "ports/1/state": "4: ACTIVE",
        "ports/1/rate": "100 Gb/sec (4X EDR)",
        "ports/1/link_layer": "InfiniBand",
    }
    for name, text in (defaults | files).items():
        path = root / "class/infiniband" / device / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")


def recorded(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path
) -> Recording:
    monkeypatch.setenv("RANKWISE_TEST_SYSFS", str(root))
    done = run_on(mpi, mpi.launch(RANKS, compiled(mpi, "places.c"), str(CPU)), tmp_path / "a.rankwise")
    assert done.process.returncode == 0, done.process.stderr
    assert done.rows("SELECT COUNT(*) FROM ranks WHERE state = 'finalized'") == [(RANKS,)]
    return done


def test_every_port_is_told_once(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "sys"
    second = {
        "ports/2/gids/0": "fec0:0000:0000:0001:0002:c903:00a1:b2c6",
        "ports/2/lid": "0x0",
        "ports/2/lid_mask_count": "0",
        "ports/2/sm_lid": "0x0",
        "ports/2/state": "1: DOWN",
        "ports/2/rate": "2.5 Gb/sec (1X SDR)",
        "ports/2/link_layer": "Ethernet",
    }
    adapter(root, "mlx5_0", second)
    # Of Omni-Path, whose LIDs may be long.
    opa = {
        "node_guid": "0011:7501:0101:abcd",
        "ports/1/gids/0": "fe80:0000:0000:0000:0011:7501:0101:abcd",
        "ports/1/lid": "0x12345",
        "ports/1/lid_mask_count": "0",
    }
    adapter(root, "hfi1_0", opa)
    monkeypatch.setenv("MV2_IBA_HCA", "mlx5_0:mlx5_2")
    done = recorded(mpi, compiled, tmp_path, monkeypatch, root)
    assert done.rows("SELECT COUNT(DISTINCT host), COUNT(*) FROM adapters") == [(1, 3)]
    assert done.rows("SELECT host FROM adapters EXCEPT SELECT host FROM ranks") == []
    guid, own = "0x0002c90300a1b2c", "node01 mlx5_0"
    active = ("active", "100 Gb/sec (4X EDR)", "InfiniBand")
    down = ("down", "2.5 Gb/sec (1X SDR)", "Ethernet")
    opa_guid = "0x001175010101abcd"
    assert done.rows(f"SELECT {COLUMNS} FROM adapters ORDER BY device, port") == [
        ("hfi1_0", 1, opa_guid, "node01 hfi1_0", opa_guid, PREFIX, 0x12345, 0, 1, *active),
        ("mlx5_0", 1, f"{guid}4", own, f"{guid}5", PREFIX, 26, 2, 1, *active),
        ("mlx5_0", 2, f"{guid}4", own, f"{guid}6", "0xfec0000000000001", None, 0, None, *down),
    ]
    chosen = "SELECT rank, value FROM rail_choices WHERE variable = 'MV2_IBA_HCA' ORDER BY rank"
    assert done.rows(chosen) == [(rank, "mlx5_0:mlx5_2") for rank in range(RANKS)]


def test_a_node_without_adapters(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MV2_IBA_HCA", "PSM3_NIC", "HFI_UNIT", "OMPI_MCA_btl_openib_if_include"):
        monkeypatch.delenv(name, raising=False)
    done = recorded(mpi, compiled, tmp_path, monkeypatch, tmp_path)
    assert done.rows("SELECT * FROM adapters") == []
    assert done.rows("SELECT * FROM rail_choices WHERE variable <> 'UCX_NET_DEVICES'") == []


def test_a_tree_that_is_none(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is not a port is told, nothing is waited for, and the program runs as ever."""
    root = tmp_path / "sys"
    bad = [
        "fe80:0000:0000:0000:0002:c903:00a1",
        "fe80:0000:0000:0000:0002:c903:00a1:b2",
        "fe80:0000:0000:0000:0002:c903:00a1-b2c5",
        "fe80000000000000000002c90300a1b2c5",
        "fe80:0000:0000:0000:0000:0000:0000:0000",
        "",
        "\0" * 5000,
        "g" * 5000,
    ]
    for number, gid in enumerate(bad):
        adapter(root, f"bad_{number}", {"ports/1/gids/0": gid})
    adapter(root, "long_" + "x" * 200, {})
    adapter(root, "mlx5_9", {"ports/999/lid": "0x1", "ports/-1/lid": "0x1", "ports/x/gids/0": "fe80"})
    ports = root / "class/infiniband"
    (ports / "file").write_text("no directory\n")
    (ports / "dangling").symlink_to("/nowhere")
    (ports / "looped").symlink_to("looped")
    (ports / "mlx5_9/ports/1/lid").unlink()
    (ports / "mlx5_9/ports/1/lid").mkdir()
    (ports / "mlx5_9/ports/1/rate").write_text("\x1b[31m" + "9" * 3000)
    (ports / "mlx5_9/ports/1/state").write_text("99: UNHEARD OF")
    (ports / "mlx5_9/ports/1/lid_mask_count").write_text("200")
    (ports / "mlx5_9/node_guid").unlink()
    os.mkfifo(ports / "mlx5_9/node_guid")
    done = recorded(mpi, compiled, tmp_path, monkeypatch, root)
    [row] = done.rows(f"SELECT {COLUMNS} FROM adapters")
    *facts, rate, layer = row
    assert facts == [
        *("mlx5_9", 1, None, "node01 mlx5_9", "0x0002c90300a1b2c5", PREFIX, None, None, 1, "unknown")
    ]
    assert str(rate).isprintable()
    assert layer == "InfiniBand"


def test_more_ports_than_are_kept(
    mpi: Mpi, compiled: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "sys"
    for number in range(70):
        adapter(
            root, f"mlx5_{number}", {"ports/1/gids/0": f"fe80:0000:0000:0000:0002:c903:00a1:{number + 1:04x}"}
        )
    done = recorded(mpi, compiled, tmp_path, monkeypatch, root)
    assert done.rows("SELECT COUNT(DISTINCT port_guid) FROM adapters") == [(64,)]
