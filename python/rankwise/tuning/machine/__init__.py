"""A whole machine measured without an application: every collective, size and number of ranks and nodes."""
