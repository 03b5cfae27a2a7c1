"""A module, or a package, for each launcher; its LAUNCHER is what the rest knows of it."""
