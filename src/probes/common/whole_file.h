// Files that appear whole or not at all.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Writes a file of a directory under another name first. False if it can't be, and errno says why.
bool whole_file_write(const char *directory, const char *name, const char *characters, size_t length);
