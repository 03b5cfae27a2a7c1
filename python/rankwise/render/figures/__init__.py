"""Pictures: SVG, PDF and PNG files."""
