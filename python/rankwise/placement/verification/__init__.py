"""Measures a placement: the job as it is started now against the job with every rank in its new place."""
