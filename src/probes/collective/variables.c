#include "variables.h"

#include <string.h>

enum { NAME_BYTES = 512, DESCRIPTION_BYTES = 16384 };

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

static bool ends(const char *name, const char *with) {
  size_t length = strlen(name), end = strlen(with);
  return length >= end && strcmp(name + length - end, with) == 0;
}

static bool bears_on_algorithms(const char *name) {
  if (begins(name, "coll_tuned_"))  // Open MPI
    return ends(name, "_algorithm") || ends(name, "_algorithm_segmentsize") || ends(name, "_priority") ||
           ends(name, "_use_dynamic_rules");
  if (begins(name, "MPIR_CVAR_"))  // MPICH
    return ends(name, "_INTRA_ALGORITHM") || ends(name, "_COLLECTIVE_FALLBACK");
  return strcmp(name, "coll_han_priority") == 0;
}

static bool is_writable(int scope) { return scope != MPI_T_SCOPE_CONSTANT && scope != MPI_T_SCOPE_READONLY; }

static void add_items(MPI_T_enum items, Text *text) {
  char name[NAME_BYTES];
  int count = 0, length = sizeof name;
  if (items == MPI_T_ENUM_NULL || MPI_T_enum_get_info(items, &count, name, &length) != MPI_SUCCESS) return;
  for (int i = 0; i < count; i++) {
    int value;
    length = sizeof name;
    if (MPI_T_enum_get_item(items, i, &value, name, &length) != MPI_SUCCESS) continue;
    text_add(text, "%s[%d, ", i ? ", " : "", value);
    text_add_string(text, name);
    text_add(text, "]");
  }
}

static void add_variable(int index, Text *text) {
  static char name[NAME_BYTES], description[DESCRIPTION_BYTES];
  int name_bytes = sizeof name, description_bytes = sizeof description, verbosity, bound, scope, value = 0;
  MPI_Datatype type;
  MPI_T_enum items = MPI_T_ENUM_NULL;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_info(index, name, &name_bytes, &verbosity, &type, &items, description, &description_bytes, &bound,
                          &scope) != MPI_SUCCESS)
    return;
  if (!bears_on_algorithms(name) || !variable_find(name, &handle, &value)) return;
  MPI_T_cvar_handle_free(&handle);
  text_add(text, "%s\n  {\"name\": ", text->length ? "," : "");
  text_add_string(text, name);
  text_add(text, ", \"value\": %d, \"writable\": %s, \"items\": [", value, is_writable(scope) ? "true" : "false");
  add_items(items, text);
  text_add(text, "], \"description\": ");
  text_add_string(text, description);
  text_add(text, "}");
}

void variables_describe(Text *text) {
  int count = 0;
  MPI_T_cvar_get_num(&count);
  for (int index = 0; index < count; index++) add_variable(index, text);
}

bool variable_find(const char *name, MPI_T_cvar_handle *handle, int *value) {
  int index, count;
  union {
    int numbers[64];  // room for values that are no single number
    char bytes[256];
  } found = {{0}};
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return false;
  if (MPI_T_cvar_handle_alloc(index, NULL, handle, &count) != MPI_SUCCESS) return false;
  if (count == 1 && MPI_T_cvar_read(*handle, &found) == MPI_SUCCESS) {
    *value = found.numbers[0];
    return true;
  }
  MPI_T_cvar_handle_free(handle);
  return false;
}

bool variable_write(MPI_T_cvar_handle handle, int value) { return MPI_T_cvar_write(handle, &value) == MPI_SUCCESS; }
