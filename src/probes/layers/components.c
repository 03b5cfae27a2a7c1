// Open MPI has no procedure that lists its components, but exports its selection. The layouts below are copied from
// opal/mca/mca.h and opal/class/opal_list.h, versions 4.0 to 5.0, of a build without debugging. A result is accepted
// only if it has the type's name in the expected place.
#define _GNU_SOURCE
#include "components.h"

#include <dlfcn.h>
#include <string.h>

#include "apart.h"

enum { TYPE_AT = 40, TYPE_BYTES = 32, NAME_AT = 84, NAME_BYTES = 64 };
enum { SENTINEL_AT = 16, NEXT_AT = 16, COMPONENT_AT = 40, MOST_MODULES = 100 };

static const char *pointer_at(const char *place) {
  const char *found;
  memcpy(&found, place, sizeof found);
  return found;
}

static void write_component(FILE *file, const char *component, const char *expected) {
  char type[TYPE_BYTES + 1] = "", name[NAME_BYTES + 1] = "";
  memcpy(type, component + TYPE_AT, TYPE_BYTES);
  memcpy(name, component + NAME_AT, NAME_BYTES);
  size_t length = strlen(name);
  if (strcmp(type, expected) == 0 && length > 0 && length < NAME_BYTES) fprintf(file, "%s %s\n", type, name);
}

static void write_pml(FILE *file, void *selected) { write_component(file, selected, "pml"); }

static void write_mtl(FILE *file, void *selected) {
  const char *component = pointer_at(selected);
  if (component) write_component(file, component, "mtl");
}

static void write_btls(FILE *file, void *modules) {
  const char *sentinel = (const char *)modules + SENTINEL_AT, *item = sentinel;
  for (int i = 0; i < MOST_MODULES && (item = pointer_at(item + NEXT_AT)) != sentinel; i++)
    write_component(file, pointer_at(item + COMPONENT_AT), "btl");
}

void components_write(FILE *file) {
  static const struct {
    const char *symbol;
    void (*write)(FILE *file, void *address);
  } SELECTED[] = {{"mca_pml_base_selected_component", write_pml},
                  {"ompi_mtl_base_selected_component", write_mtl},
                  {"mca_btl_base_modules_initialized", write_btls}};
  for (size_t i = 0; i < sizeof SELECTED / sizeof *SELECTED; i++) {
    void *address = dlsym(RTLD_DEFAULT, SELECTED[i].symbol);
    if (address) apart(SELECTED[i].write, address, file);
  }
}
