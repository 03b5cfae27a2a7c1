// Control variables of the MPI library (MPI_T), which choose its algorithms.
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "../common/text.h"

// JSON objects, separated by commas: every variable that chooses algorithms, or affects the choice. The reader
// interprets them.
void variables_describe(Text *text);

// An integer variable, with its present value.
bool variable_find(const char *name, MPI_T_cvar_handle *handle, int *value);

// Also false if the library refuses the value.
bool variable_write(MPI_T_cvar_handle handle, int value);
