// Reports what carries the messages of an MPI library, and the values of its variables. Rankwise starts this program in
// place of the user's, with FILE NAME...: rank 0 writes its findings to FILE, a fact a line.
//
//   library TEXT     MPI_Get_library_version, a line each
//   pml|mtl|btl NAME components of Open MPI that are in use
//   processors N     that a rank may use: the maximum over all ranks
//   nodes N          number of nodes of the job
//   variable NAME    a variable that exists
//   value NAME TEXT  the value of a requested variable, as far as it can be read
//   end              the file is complete
//
// Made by: mpicc -std=gnu11 -O2 -o layers *.c -lm
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "components.h"
#include "variables.h"

static int processors(void) {
  enum { MOST = 1 << 16 };
  static unsigned char set[MOST / 8];
  int found = 0;
  if (sched_getaffinity(0, sizeof set, (cpu_set_t *)set) != 0) return 0;
  for (int i = 0; i < MOST; i++) found += set[i / 8] >> i % 8 & 1;
  return found;
}

static int nodes(void) {
  MPI_Comm node;
  int rank, is_first, found;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  is_first = rank == 0;
  MPI_Allreduce(&is_first, &found, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  return found;
}

static void write_library(FILE *file) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(text, &length);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) fprintf(file, "library %s\n", line);
}

int main(int argc, char **argv) {
  int provided, rank, mine, most, of_nodes, is_wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  mine = processors();
  MPI_Reduce(&mine, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  of_nodes = nodes();
  // Open MPI crashes in the end if MPI_T is opened before MPI_Init and closed after MPI_Finalize.
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (rank == 0 && argc > 1) {
    FILE *file = fopen(argv[1], "w");
    if (file) {
      write_library(file);
      components_write(file);
      fprintf(file, "processors %d\nnodes %d\n", most, of_nodes);
      variables_write(file, argv + 2, argc - 2);
      fprintf(file, "end\n");
      is_wrong = ferror(file) != 0;
    }
    if (!file || fclose(file) != 0 || is_wrong) {
      is_wrong = 1;
      fprintf(stderr, "layers: can't write %s\n", argv[1]);
    }
  }
  MPI_T_finalize();
  MPI_Bcast(&is_wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return is_wrong;
}
