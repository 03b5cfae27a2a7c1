// Reads memory that may not exist, in a separate process.
#pragma once

#include <stdio.h>

// Calls a function in a copy of this process, and appends its output, at most a few hundred bytes, to the file. If the
// copy crashes, nothing is appended; this process and the locks that it holds are unaffected.
void apart(void (*function)(FILE *file, void *argument), void *argument, FILE *file);
