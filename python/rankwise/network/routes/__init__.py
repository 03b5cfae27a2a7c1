"""Ways of messages through a subnet, and what they load."""
