"""fabric.json: any fabric in one file, also for people to write. docs/reference/fabrics.md describes it."""
