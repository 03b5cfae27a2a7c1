"""The rules, one file each: a constant `RULE`."""
