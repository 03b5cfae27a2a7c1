"""The views of a run, as data: tables and sentences. Nothing here draws."""
