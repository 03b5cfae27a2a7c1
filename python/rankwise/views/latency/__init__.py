"""One module for each view of `rankwise latency show --by`: `table` for the terminal, `data` for JSON."""
