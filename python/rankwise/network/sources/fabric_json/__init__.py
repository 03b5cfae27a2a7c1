"""fabric.json: any fabric in one file, which people can write, too. docs/fabrics.md describes it."""
