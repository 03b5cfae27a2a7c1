/* Blocking collectives that MPICH carries out by non-blocking ones (MPIR_CVAR_..._INTRA_ALGORITHM=nb), by one of them
 * and by all: each alone on a communicator, after an operation of the program's that has the same tag, and beside one
 * that is under way. test_inner_operations.py.
 *
 * The variables must be `nb` in the environment; what that means in numbers is read from the library. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 504, COUNT = BYTES / (int)sizeof(double), ROOT = 1, COLLECTIVES = 8 };

static const char *const names[COLLECTIVES] = {"Barrier",   "Bcast",    "Gather", "Scatter",
                                               "Allgather", "Alltoall", "Reduce", "Allreduce"};
static MPI_T_cvar_handle variables[COLLECTIVES];
static int by_nonblocking[COLLECTIVES];
static double *out, *in, *pending;

static void require(int rc, const char *what) {
  if (rc == MPI_SUCCESS) return;
  fprintf(stderr, "cannot %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void open_variables(void) {
  for (int i = 0; i < COLLECTIVES; ++i) {
    char name[64] = "MPIR_CVAR_";
    size_t length = strlen(name);
    for (const char *letter = names[i]; *letter; ++letter) name[length++] = (char)(*letter & ~0x20);
    strcpy(name + length, "_INTRA_ALGORITHM");
    int index, count;
    require(MPI_T_cvar_get_index(name, &index), name);
    require(MPI_T_cvar_handle_alloc(index, NULL, &variables[i], &count), name);
    require(MPI_T_cvar_read(variables[i], &by_nonblocking[i]), name);
    require(by_nonblocking[i] == 0, "go on: a variable is not nb");
  }
}

static void set(int i, int value) { require(MPI_T_cvar_write(variables[i], &value), names[i]); }

static void call(int i, MPI_Comm comm) {
  switch (i) {
    case 0:
      MPI_Barrier(comm);
      break;
    case 1:
      MPI_Bcast(out, COUNT, MPI_DOUBLE, ROOT, comm);
      break;
    case 2:
      MPI_Gather(out, COUNT, MPI_DOUBLE, in, COUNT, MPI_DOUBLE, ROOT, comm);
      break;
    case 3:
      MPI_Scatter(out, COUNT, MPI_DOUBLE, in, COUNT, MPI_DOUBLE, ROOT, comm);
      break;
    case 4:
      MPI_Allgather(out, COUNT, MPI_DOUBLE, in, COUNT, MPI_DOUBLE, comm);
      break;
    case 5:
      MPI_Alltoall(out, COUNT, MPI_DOUBLE, in, COUNT, MPI_DOUBLE, comm);
      break;
    case 6:
      MPI_Reduce(out, in, COUNT, MPI_DOUBLE, MPI_SUM, ROOT, comm);
      break;
    default:
      MPI_Allreduce(out, in, COUNT, MPI_DOUBLE, MPI_SUM, comm);
  }
}

static MPI_Comm named(const char *how, const char *where, const char *what) {
  char name[64];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  snprintf(name, sizeof name, "%s %s %s", how, where, what);
  MPI_Comm_set_name(comm, name);
  return comm;
}

static void broadcast(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibcast(pending, COUNT, MPI_DOUBLE, ROOT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void test(const char *how, int i) {
  MPI_Comm alone = named(how, "alone", names[i]);
  call(i, alone);

  MPI_Comm after = named(how, "after", names[i]);
  broadcast(after);
  call(i, after);

  MPI_Comm beside = named(how, "beside", names[i]);
  MPI_Request request;
  MPI_Iallgather(out, COUNT, MPI_DOUBLE, pending, COUNT, MPI_DOUBLE, beside, &request);
  call(i, beside);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int provided, processes;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  out = calloc((size_t)processes, BYTES);
  in = calloc((size_t)processes, BYTES);
  pending = calloc((size_t)processes, BYTES);
  open_variables();
  for (int i = 0; i < COLLECTIVES; ++i) set(i, 0);

  MPI_Request request;
  broadcast(named("none", "alone", "Ibcast"));
  MPI_Iallgather(out, COUNT, MPI_DOUBLE, pending, COUNT, MPI_DOUBLE, named("none", "alone", "Iallgather"), &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < COLLECTIVES; ++i) test("none", i);
  for (int i = 0; i < COLLECTIVES; ++i) {
    set(i, by_nonblocking[i]);
    test("one", i);
    set(i, 0);
  }
  for (int i = 0; i < COLLECTIVES; ++i) set(i, by_nonblocking[i]);
  for (int i = 0; i < COLLECTIVES; ++i) test("all", i);
  MPI_Finalize();
  return 0;
}
