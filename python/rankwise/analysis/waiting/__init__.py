"""Waiting in collectives and for messages: how long, for which ranks, and what delayed those."""
