// Looks at memory that may not be there, in a process apart.
#pragma once

#include <stdio.h>

// Calls a function in a copy of this process, and appends what it writes, at most a few hundred bytes, to the file:
// nothing if the copy crashes, which leaves this process and the locks that it holds alone.
void apart(void (*function)(FILE *file, void *argument), void *argument, FILE *file);
