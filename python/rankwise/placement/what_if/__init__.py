"""What a run's communication would be on machines that it did not run on."""
