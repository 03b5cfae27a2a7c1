"""fabric.json: any fabric in one file, also for people to write. docs/fabrics.md describes it."""
