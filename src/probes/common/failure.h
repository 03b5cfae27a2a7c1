// What makes a measurement impossible.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LINE = 512, STATUS_OF_FAILURE = 2 };

// All ranks ask together: does any of them fail? Each gives its line, empty if all is well. The first that fails
// leaves its line in the file `error` of the directory.
bool failure_anywhere(const char *directory, const char *line);

// Small memory, which is always there; ends the job if not.
void *needed(size_t bytes);
