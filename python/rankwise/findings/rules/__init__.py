"""The rules, one file each: a constant `RULE`. docs/develop/adding-a-finding.md says how to add another."""
