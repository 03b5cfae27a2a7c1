"""The contents of a profile as files for other tools."""
