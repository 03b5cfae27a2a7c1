"""Looks at a job while it runs: reads the counters of its processes again and again, and changes nothing."""
