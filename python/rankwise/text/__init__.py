"""How numbers, names and states are worded on every screen and page."""
