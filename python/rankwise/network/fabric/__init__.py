"""Fabrics: their model, and fabric.json."""
