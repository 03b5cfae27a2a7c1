"""Joins the records of the processes of a world: communicators, messages, arrivals, regions, call sites."""
