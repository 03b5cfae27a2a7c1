"""The load of a job's messages on the links of a fabric: a page, and static pictures."""
