"""From the user's command to a launch in which every MPI process finds Rankwise."""
