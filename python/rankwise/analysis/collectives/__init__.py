"""Collectives: the calls, the messages inside, and the algorithms that these show."""
