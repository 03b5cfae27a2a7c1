"""Two sides of runs compared: what became more, what less, and what of it is noise. Nothing here prints."""
