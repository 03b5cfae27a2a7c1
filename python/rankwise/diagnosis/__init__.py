"""What is concluded from a run: made once, kept in its profile, and worded on every screen."""
