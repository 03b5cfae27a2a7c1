"""An open profile: what commands show of it, and notebooks and programs ask (docs/how-to/notebooks.md)."""
