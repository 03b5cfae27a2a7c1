"""Watches a job while it runs: repeatedly reads the counters of its processes, and changes nothing."""
