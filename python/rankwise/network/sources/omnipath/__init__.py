"""Fabrics of Omni-Path, from the snapshots of opareport."""
