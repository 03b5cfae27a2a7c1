"""Paired trials: several ways to run a job alternate, and are compared with confidence intervals.

Nothing here knows what the ways differ in: an arm is a name and a function that runs it. `race` holds the
state (which arms run next, which are dropped, when it is over), `run` runs arms one by one, `interval` and
`plan` have the statistics, `recorded` runs a command under the profiler.
"""
