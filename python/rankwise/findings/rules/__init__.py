"""The rules, one file each: a constant `RULE`. docs/develop/adding-a-finding.md shows how to add one."""
