// Control variables of the MPI library (MPI_T), which choose its algorithms.
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "../common/text.h"

// JSON objects, comma apart: every variable that chooses algorithms, or bears on the choice. What they mean is left to
// the reader.
void variables_describe(Text *text);

// A variable of whole numbers. The value is the one that it has now.
bool variable_find(const char *name, MPI_T_cvar_handle *handle, int *value);

// Also false if the library does not take the value.
bool variable_write(MPI_T_cvar_handle handle, int value);
