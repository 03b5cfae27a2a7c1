"""Collectives: what was asked of them, the messages inside, and the algorithms that these show."""
