"""Pictures of a measurement of all pairs: on the terminal, as a drawing, as a page to zoom into."""
