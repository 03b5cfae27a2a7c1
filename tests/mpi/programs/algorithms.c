// Calls collectives so that the messages of each can be compared with models: tests/mpi/test_inside_collectives.py.
//
// Arguments, in order (MPI_T stays open to the end: closed, Open MPI crashes when it frees communicators later):
//   Bcast:80000   calls MPI_Bcast once, with 80000 bytes (of a block, where there are blocks) of doubles, from rank 1
//   knob=3        sets a control variable of the library
//   on=name       calls from here on are on a duplicate of the world named so
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOT = 1 };

static MPI_Comm comm = MPI_COMM_NULL;
static int processes;
static char *out, *in;
static int *counts, *places, *byte_places;
static MPI_Datatype *types;

static int is(const char *given, const char *name) { return strcmp(given, name) == 0; }

static void call(const char *name, int bytes) {
  const MPI_Datatype type = MPI_DOUBLE;
  const int count = bytes / (int)sizeof(double);
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < processes; i++) {
    counts[i] = count;
    places[i] = i * count;
    byte_places[i] = i * bytes;
    types[i] = type;
  }
  if (is(name, "Barrier"))
    MPI_Barrier(comm);
  else if (is(name, "Bcast"))
    MPI_Bcast(out, count, type, ROOT, comm);
  else if (is(name, "Gather"))
    MPI_Gather(out, count, type, in, count, type, ROOT, comm);
  else if (is(name, "Gatherv"))
    MPI_Gatherv(out, count, type, in, counts, places, type, ROOT, comm);
  else if (is(name, "Scatter"))
    MPI_Scatter(out, count, type, in, count, type, ROOT, comm);
  else if (is(name, "Scatterv"))
    MPI_Scatterv(out, counts, places, type, in, count, type, ROOT, comm);
  else if (is(name, "Allgather"))
    MPI_Allgather(out, count, type, in, count, type, comm);
  else if (is(name, "Allgatherv"))
    MPI_Allgatherv(out, count, type, in, counts, places, type, comm);
  else if (is(name, "Alltoall"))
    MPI_Alltoall(out, count, type, in, count, type, comm);
  else if (is(name, "Alltoallv"))
    MPI_Alltoallv(out, counts, places, type, in, counts, places, type, comm);
  else if (is(name, "Alltoallw"))
    MPI_Alltoallw(out, counts, byte_places, types, in, counts, byte_places, types, comm);
  else if (is(name, "Reduce"))
    MPI_Reduce(out, in, count, type, MPI_SUM, ROOT, comm);
  else if (is(name, "Allreduce"))
    MPI_Allreduce(out, in, count, type, MPI_SUM, comm);
  else if (is(name, "Reduce_scatter"))
    MPI_Reduce_scatter(out, in, counts, type, MPI_SUM, comm);
  else if (is(name, "Reduce_scatter_block"))
    MPI_Reduce_scatter_block(out, in, count, type, MPI_SUM, comm);
  else if (is(name, "Scan"))
    MPI_Scan(out, in, count, type, MPI_SUM, comm);
  else if (is(name, "Exscan"))
    MPI_Exscan(out, in, count, type, MPI_SUM, comm);
  else if (is(name, "Ibarrier"))
    MPI_Ibarrier(comm, &request);
  else if (is(name, "Ibcast"))
    MPI_Ibcast(out, count, type, ROOT, comm, &request);
  else if (is(name, "Iallreduce"))
    MPI_Iallreduce(out, in, count, type, MPI_SUM, comm, &request);
  else {
    fprintf(stderr, "unknown collective %s\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void set(const char *knob) {
  char name[128];
  const char *equals = strchr(knob, '=');
  snprintf(name, sizeof name, "%.*s", (int)(equals - knob), knob);
  const int value = atoi(equals + 1);
  int index, count;
  MPI_T_cvar_handle handle;
  if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS ||
      MPI_T_cvar_write(handle, &value) != MPI_SUCCESS) {
    fprintf(stderr, "cannot set %s\n", knob);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_T_cvar_handle_free(&handle);
}

static void duplicate(const char *name) {
  if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, name);
}

int main(int argc, char **argv) {
  int provided, most = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  comm = MPI_COMM_WORLD;
  MPI_Comm_size(comm, &processes);
  for (int i = 1; i < argc; i++) {
    const char *colon = strchr(argv[i], ':');
    if (colon && atoi(colon + 1) > most) most = atoi(colon + 1);
  }
  out = calloc((size_t)processes, (size_t)most + 1);
  in = calloc((size_t)processes, (size_t)most + 1);
  counts = calloc((size_t)processes, sizeof *counts);
  places = calloc((size_t)processes, sizeof *places);
  byte_places = calloc((size_t)processes, sizeof *byte_places);
  types = calloc((size_t)processes, sizeof *types);
  for (int i = 1; i < argc; i++) {
    char *colon = strchr(argv[i], ':');
    if (colon) {
      *colon = '\0';
      call(argv[i], atoi(colon + 1));
    } else if (strncmp(argv[i], "on=", 3) == 0) {
      duplicate(argv[i] + 3);
    } else {
      set(argv[i]);
    }
  }
  MPI_Finalize();
  return 0;
}
