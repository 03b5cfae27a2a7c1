"""The rules, one file each: a constant `RULE`. docs/adding-a-finding.md says how another one is added."""
