"""fabric.json: any fabric in one file, which people can also write. See docs/reference/fabrics.md."""
