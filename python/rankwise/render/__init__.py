"""Whatever draws: terminal, pages for a browser, figures, files for other tools. Nothing here concludes."""
