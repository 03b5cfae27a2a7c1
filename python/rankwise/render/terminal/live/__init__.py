"""The view of a running job."""
