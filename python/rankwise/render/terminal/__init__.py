"""What is drawn on a terminal, or written where one was expected."""
