"""A job on a fabric: who sends how much to whom, and which ports of the fabric its ranks have."""
