"""One module for each view of `rankwise latency show --by`: `section` for the terminal, `data` for JSON."""
