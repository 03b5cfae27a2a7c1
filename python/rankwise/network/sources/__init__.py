"""Where fabrics come from: files of the tools that know them, recognised by their content, and rules."""
