"""Where ranks go: those that communicate much are to be near each other."""
