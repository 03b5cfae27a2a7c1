// Errors that make a measurement impossible.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { LINE = 512, STATUS_OF_FAILURE = 2 };

// Collective: does any rank fail? Each gives its line, empty if all is well. The first that fails leaves its line in
// the file `error` of the directory.
bool failure_anywhere(const char *directory, const char *line);

// Allocates a little memory; ends the job on failure.
void *needed(size_t bytes);
