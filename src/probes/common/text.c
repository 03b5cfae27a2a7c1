#include "text.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

static void make_space(Text *text, size_t more) {
  if (text->length + more < text->space) return;
  text->space = 2 * (text->length + more) + 64;
  char *characters = needed(text->space);
  if (text->length > 0) memcpy(characters, text->characters, text->length);
  free(text->characters);
  text->characters = characters;
}

void text_add(Text *text, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  if (length > 0) {
    make_space(text, (size_t)length + 1);
    vsnprintf(text->characters + text->length, (size_t)length + 1, format, again);
    text->length += (size_t)length;
  }
  va_end(again);
  va_end(arguments);
}

void text_add_string(Text *text, const char *string) {
  text_add(text, "\"");
  for (; *string; string++) {
    unsigned char byte = (unsigned char)*string;
    if (byte == '"' || byte == '\\')
      text_add(text, "\\%c", byte);
    else if (byte < ' ')
      text_add(text, "\\u%04x", byte);
    else
      text_add(text, "%c", byte < 127 ? byte : '?');
  }
  text_add(text, "\"");
}

void text_free(Text *text) {
  free(text->characters);
  *text = (Text){0};
}

void text_gather(const Text *mine, Text *all) {
  int rank, ranks, length = (int)mine->length;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int *lengths = NULL, *starts = NULL, total = 0;
  char *gathered = NULL;
  if (rank == 0) {
    lengths = needed((size_t)ranks * sizeof(int));
    starts = needed((size_t)ranks * sizeof(int));
  }
  MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int each = 0; each < ranks; each++) {
      starts[each] = total;
      total += lengths[each];
    }
    gathered = needed((size_t)total);
  }
  MPI_Gatherv(mine->characters, length, MPI_CHAR, gathered, lengths, starts, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const char *separator = "";
    for (int each = 0; each < ranks; each++) {
      if (lengths[each] == 0) continue;
      text_add(all, "%s%.*s", separator, lengths[each], gathered + starts[each]);
      separator = ", ";
    }
  }
  free(lengths);
  free(starts);
  free(gathered);
}
