"""What a profile says: from the open profile to plain data. Nothing here prints."""
