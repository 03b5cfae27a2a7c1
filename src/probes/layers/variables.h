// The control variables of the MPI library, read through MPI_T.
#pragma once

#include <stdio.h>

// Writes lines `variable NAME` for all, and `value NAME VALUE` for the named ones, as far as they are known.
void variables_write(FILE *file, char **named, int count);
