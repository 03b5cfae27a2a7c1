"""What is shown of a run, as data: tables and sentences. Nothing here draws."""
