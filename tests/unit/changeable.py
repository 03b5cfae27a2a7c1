"""Triggers that let a test change the calls of a profile row by row, as if `calls` were a table."""

from __future__ import annotations

from empty_profile import columns

from rankwise.profile.store.database import SUMS

_PLACE = """SELECT id FROM call_places
    WHERE rank = NEW.rank AND communicator = NEW.communicator AND site IS NEW.site"""
_ADD = f"""
  INSERT INTO call_places (rank, communicator, site)
    SELECT NEW.rank, NEW.communicator, NEW.site WHERE NOT EXISTS ({_PLACE});
  INSERT INTO call_counts VALUES (
    ((({_PLACE}) * 4096 + NEW.region) * 2048 + NEW.procedure) * 128 + NEW.size_bin,
    NEW.calls, NEW.bytes_sent, NEW.bytes_received, CAST(ROUND(NEW.seconds * 1e9) AS INTEGER),
    CAST(ROUND(NEW.min * 1e9) AS INTEGER), CAST(ROUND(NEW.max * 1e9) AS INTEGER),
    COALESCE(NEW.unfinished, 0));"""
_REMOVE = """
  DELETE FROM call_counts WHERE id IN (
    SELECT ((id * 4096 + OLD.region) * 2048 + OLD.procedure) * 128 + OLD.size_bin FROM call_places
    WHERE rank = OLD.rank AND communicator = OLD.communicator AND site IS OLD.site);"""
_FORGET = """
  DELETE FROM call_places WHERE id NOT IN (SELECT id >> 30 FROM call_counts);"""

WRITE_CALLS = f"""
CREATE TRIGGER add_calls INSTEAD OF INSERT ON calls BEGIN{_ADD}
END;
CREATE TRIGGER change_calls INSTEAD OF UPDATE ON calls BEGIN{_REMOVE}{_ADD}{_FORGET}
END;
CREATE TRIGGER remove_calls INSTEAD OF DELETE ON calls BEGIN{_REMOVE}{_FORGET}
END;
"""
"""SQL: what is written to the view `calls` is packed into its tables."""


def _keep(name: str) -> str:
    """Return the statements that compute a table of sums anew."""
    names = ", ".join(column.name for column in columns(name))
    return f"DELETE FROM {name}; INSERT INTO {name} SELECT {names} FROM ({SUMS[name]});"


_BY_FAMILY = {"family_sums", "family_spreads"}
_SPREADS = {name for name in SUMS if name.endswith("_spreads")}
_OF_MESSAGES = {"host_sums"}
_OF_CALLS = SUMS.keys() - _OF_MESSAGES - {"call_places"}
_AFTER = {
    "call_counts": _OF_CALLS,
    "communicators": _BY_FAMILY,
    "procedures": _SPREADS,
    "messages": _OF_MESSAGES,
    "ranks": _OF_MESSAGES,
}

_CALCULATE = "INSERT INTO outdated_sums VALUES ('{}');"
# (Each time a profile is opened, SQLite parses all triggers: each sum is in one only.)
SUMS_FOLLOW = (
    "CREATE VIEW outdated_sums AS SELECT '' AS name;"
    + "".join(
        f"CREATE TRIGGER calculate_{name} INSTEAD OF INSERT ON outdated_sums WHEN NEW.name = '{name}'"
        f" BEGIN {_keep(name)} END;"
        for name in _OF_CALLS | _OF_MESSAGES
    )
    + "".join(
        f"CREATE TRIGGER {event}_of_{table} AFTER {event} ON {table} BEGIN"
        f" {''.join(map(_CALCULATE.format, names))} END;"
        for table, names in _AFTER.items()
        for event in ("INSERT", "UPDATE", "DELETE")
    )
    + "".join(map(_keep, _OF_CALLS | _OF_MESSAGES))
)
"""SQL: the sums are those of `calls` and `messages`, now and after each change."""
