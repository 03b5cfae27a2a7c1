"""The diagnosis of a run: made once, kept in its profile, and worded the same on every screen."""
