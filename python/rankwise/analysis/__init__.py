"""Evaluates an open profile: results are plain data. Nothing here prints."""
