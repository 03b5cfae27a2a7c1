"""The version of Rankwise, for the package as for the libraries that are built with it."""

__version__ = "0.1.0"
