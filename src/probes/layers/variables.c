#include "variables.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "apart.h"

enum { NAME_BYTES = 512, LONGEST_SHOWN = 2000 };

typedef struct {
  int number;
  MPI_Datatype type;
  const char *name;
} Variable;

static void write_value(FILE *file, const Variable *variable, const void *value) {
  fprintf(file, "value %s ", variable->name);
  if (variable->type == MPI_CHAR)
    fprintf(file, "%.*s", (int)strcspn(value, "\n"), (const char *)value);
  else if (variable->type == MPI_DOUBLE)
    fprintf(file, "%.17g", *(const double *)value);
  else if (variable->type == MPI_INT)
    fprintf(file, "%d", *(const int *)value);
  else if (variable->type == MPI_UNSIGNED)
    fprintf(file, "%u", *(const unsigned *)value);
  else if (variable->type == MPI_UNSIGNED_LONG)
    fprintf(file, "%lu", *(const unsigned long *)value);
  else
    fprintf(file, "%lld", *(const long long *)value);
  fprintf(file, "\n");
}

static void read_value(FILE *file, void *argument) {
  const Variable *variable = argument;
  MPI_T_cvar_handle handle;
  int count, size = 1;
  if (MPI_T_cvar_handle_alloc(variable->number, NULL, &handle, &count) != MPI_SUCCESS) return;
  if (variable->type != MPI_CHAR) MPI_Type_size(variable->type, &size);
  char *value = calloc((size_t)count + 1, (size_t)(size < 8 ? 8 : size));
  if (value && MPI_T_cvar_read(handle, value) == MPI_SUCCESS && strnlen(value, LONGEST_SHOWN) < LONGEST_SHOWN)
    write_value(file, variable, value);
  free(value);
}

static bool is_named(const char *name, char **named, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(name, named[i]) == 0) return true;
  return false;
}

void variables_write(FILE *file, char **named, int count) {
  int all;
  if (MPI_T_cvar_get_num(&all) != MPI_SUCCESS) return;
  for (int i = 0; i < all; i++) {
    char name[NAME_BYTES], about[NAME_BYTES];
    int name_bytes = sizeof name, about_bytes = sizeof about, verbosity, binding, scope;
    MPI_T_enum choices;
    Variable variable = {.number = i, .name = name};
    if (MPI_T_cvar_get_info(i, name, &name_bytes, &verbosity, &variable.type, &choices, about, &about_bytes, &binding,
                            &scope) != MPI_SUCCESS)
      continue;
    fprintf(file, "variable %s\n", name);
    // Open MPI 4.1 reads values of some variables in components that it has unloaded, and crashes.
    if (binding == MPI_T_BIND_NO_OBJECT && is_named(name, named, count)) apart(read_value, &variable, file);
  }
}
