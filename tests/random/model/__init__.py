"""What the profile of a program must hold, made from the program and the documentation alone."""
