"""What stands on the pages of a report: of a profile, one file a page, as web/src/ draws them."""
