"""Output: terminal, pages for a browser, figures, files for other tools. It draws no conclusions."""
