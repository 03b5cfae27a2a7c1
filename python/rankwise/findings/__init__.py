"""What a profile shows that something can be done about: one rule a file, and how they are asked."""
