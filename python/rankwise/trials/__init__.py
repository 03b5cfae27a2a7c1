"""Paired trials: two commands are run in alternation, recorded, and compared, with a confidence interval."""
