"""The verbs of the command line, one file each; the docstring is the help."""
