"""machine.json: the parts of a machine, the costs of communication in it, and the sources of both."""
