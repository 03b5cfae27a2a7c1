"""Pages for a browser: one file each, without need of a network or a server."""
