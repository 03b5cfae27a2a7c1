"""Pages for a browser: one file each, which needs no network and no server."""
