"""What the messages of a job do to the links of a fabric, drawn: a page, and static pictures."""
