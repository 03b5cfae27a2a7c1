"""The contents of a report's pages, one file per page, as web/src/ draws them."""
