#define _GNU_SOURCE
#include "about.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../common/failure.h"
#include "../common/text.h"
#include "../common/whole_file.h"
#include "variables.h"

static void write_file(const char *directory, const char *name, const Text *text, char *line) {
  if (!whole_file_write(directory, name, text->characters, text->length))
    snprintf(line, LINE, "cannot write %.300s/%s: %.100s", directory, name, strerror(errno));
}

static void gather_hosts(Text *all) {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  Text mine = {0};
  text_add_string(&mine, name);
  text_gather(&mine, all);
  text_free(&mine);
}

void about_write(const char *directory, char *line) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_library_version(version, &length);
  Text about = {0}, variables = {0}, offers = {0};
  text_add(&about, "{\"library\": ");
  text_add_string(&about, version);
  text_add(&about, ",\n\"hosts\": [");  // by rank
  gather_hosts(&about);
  text_add(&about, "]}\n");
  if (rank == 0) {
    variables_describe(&variables);
    text_add(&offers, "{\"variables\": [%s]}\n", variables.characters ? variables.characters : "");
    write_file(directory, "offers", &offers, line);
    if (!line[0]) write_file(directory, "about", &about, line);
  }
  text_free(&about);
  text_free(&variables);
  text_free(&offers);
}
