"""The limit of a run's traffic on the default fabric, in a few sentences, at the end of `rankwise run`."""

from __future__ import annotations

from pathlib import Path

from rankwise.analysis.opened import opened_profile
from rankwise.network.job.flows import flows
from rankwise.network.job.rank_ports import places_of_run
from rankwise.network.loads import job_loads
from rankwise.network.share import mean_mpi_seconds, share_of_loads
from rankwise.network.sources.open import open_fabric
from rankwise.network.what_if import as_it_is
from rankwise.views.links.verdict import verdict


def network_brief(profile: Path, words: tuple[str, ...]) -> str:
    """Return the limit of a run's traffic; '' for a run on one host, or on hosts that the fabric lacks.

    Args:
        profile: of the run.
        words: of the fabric, as --fabric takes them.

    Raises:
        RankwiseError: the profile or the fabric can't be read, or no host is in the fabric.
    """
    with opened_profile(profile) as connection:
        (hosts,) = connection.execute("SELECT COUNT(DISTINCT host) FROM ranks").fetchone()
        if hosts < 2:
            return ""
        fabric = open_fabric(words)
        places = places_of_run(connection, fabric)
        if places.absent:
            return ""
        loads = job_loads(fabric, flows(connection), places)
        share = share_of_loads(connection, mean_mpi_seconds(connection), loads)
    return f"{verdict(as_it_is(loads), loads.on_links, loads.between_hosts, share)}."
