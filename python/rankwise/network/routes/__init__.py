"""Paths of messages through a subnet, and the loads that result."""
