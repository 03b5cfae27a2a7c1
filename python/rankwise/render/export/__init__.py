"""What a profile has, as files for other tools."""
