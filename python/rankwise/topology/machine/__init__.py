"""machine.json: what a machine is made of, what communication costs in it, and where that is known from."""
