"""Makes a program's collectives and messages cheaper by the MPI library's own settings, and proves it.

The profile shows which cells cost most (`cells`). For each cell, all algorithms of the installed library are
raced (`racing`). A gate refuses algorithms that could break the program (`gate`). Paired runs of the program
itself show what the settings gain (`proof`).
"""
