"""How results look: numbers, names and tables for the terminal, and files for other tools."""
