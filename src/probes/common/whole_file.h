// Files that appear complete or not at all.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Writes a file of a directory under another name first. False on failure, with the reason in errno.
bool whole_file_write(const char *directory, const char *name, const char *characters, size_t length);
