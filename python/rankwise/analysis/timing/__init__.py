"""Where the time went, and when: shares, efficiency, intervals, traces."""
