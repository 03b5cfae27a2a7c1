"""Makes a program's collectives and messages cheaper by the MPI library's own settings, and proves it.

The profile tells which cells cost most (`cells`), a race of all algorithms that the installed library offers
for each cell tells which is fastest here (`racing`), a gate refuses what could break the program (`gate`),
and runs of the program itself in pairs tell what the settings gain (`proof`).
"""
