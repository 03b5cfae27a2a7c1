// The control variables of the MPI library: what MPI_T tells.
#pragma once

#include <stdio.h>

// Writes lines `variable NAME` of all, and `value NAME VALUE` of those that are named, as far as they are known.
void variables_write(FILE *file, char **named, int count);
