// A text that grows, for JSON.
#pragma once

#include <stddef.h>

typedef struct {
  char *characters;  // NULL: empty
  size_t length, space;
} Text;

__attribute__((format(printf, 2, 3))) void text_add(Text *text, const char *format, ...);

// A JSON string: quoted and escaped. Bytes that are not ASCII become question marks.
void text_add_string(Text *text, const char *string);
void text_free(Text *text);

// Appends the texts of all ranks, in rank order and separated by commas, to `all` on rank 0; empty ones are left out.
void text_gather(const Text *mine, Text *all);
