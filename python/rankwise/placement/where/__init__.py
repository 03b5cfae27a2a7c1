"""Where a launch puts its ranks, before a program runs: a probe takes the program's place."""
