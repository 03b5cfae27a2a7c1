"""An open profile: what the commands show of it, and notebooks and programs ask (docs/notebooks.md)."""
