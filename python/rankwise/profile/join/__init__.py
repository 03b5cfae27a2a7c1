"""Joins what the processes of a world recorded: communicators, messages, arrivals, regions, call sites."""
