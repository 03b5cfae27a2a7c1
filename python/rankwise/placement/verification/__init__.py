"""A placement tried out: the job as it is started now against the job with every rank in its new place."""
