// Collectives with operations, datatypes and buffers of all kinds, on a communicator for each case, whose name says
// which. tests/mpi/test_traits_of_calls.py knows what each has had. `traits many`: MPI_Barrier on 300 communicators.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { RANKS = 3, BYTES = 64 };

static int rank;
static char in[RANKS * BYTES], out[RANKS * BYTES];
static int each[RANKS] = {1, 1, 1}, places[RANKS] = {0, 1, 2}, byte_places[RANKS] = {0, 4, 8};
static MPI_Datatype types[RANKS];

static MPI_Comm named(const char *name) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, name);
  return comm;
}

static void keep_second(void *in_operands, void *operands, int *count, MPI_Datatype *datatype) {
  (void)in_operands;
  (void)operands;
  (void)count;
  (void)datatype;
}

static void allreduce(const char *name, MPI_Datatype datatype, MPI_Op op) {
  MPI_Comm comm = named(name);
  MPI_Allreduce(in, out, 1, datatype, op, comm);
  MPI_Comm_free(&comm);
}

static void with_own_operation(const char *name, int commutes, int pauses) {
  MPI_Op op;
  MPI_Op_create(keep_second, commutes, &op);
  if (pauses) MPI_Pcontrol(0);
  allreduce(name, MPI_INT, op);
  if (pauses) MPI_Pcontrol(1);
  MPI_Op_free(&op);
}

// All types that stand for whole numbers, those that the library has.
static void whole_numbers(void) {
  const MPI_Datatype all[] = {
      MPI_INT,           MPI_LONG,          MPI_SHORT,       MPI_UNSIGNED_SHORT, MPI_UNSIGNED,
      MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR,  MPI_UNSIGNED_LONG_LONG,
      MPI_INT8_T,        MPI_INT16_T,       MPI_INT32_T,     MPI_INT64_T,        MPI_UINT8_T,
      MPI_UINT16_T,      MPI_UINT32_T,      MPI_UINT64_T,    MPI_AINT,           MPI_OFFSET,
      MPI_COUNT,         MPI_INTEGER,       MPI_INTEGER1,    MPI_INTEGER2,       MPI_INTEGER4,
      MPI_INTEGER8};
  const int count = sizeof all / sizeof *all;
  MPI_Comm comm = named("whole numbers");
  // A library without Fortran lacks some.
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int done = 0;
  for (int i = 0; i < count; i++) {
    if (all[i] == MPI_DATATYPE_NULL) continue;
    done += MPI_Allreduce(in, out, 1, all[i], MPI_SUM, comm) == MPI_SUCCESS;
    MPI_Allreduce(in, out, 1, all[i], MPI_PROD, comm);
  }
  if (rank == 0) printf("whole numbers: %d\n", done);
  MPI_Comm_free(&comm);
}

static void exact_operations(void) {
  MPI_Comm comm = named("exact");
  MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(in, out, 1, MPI_FLOAT, MPI_MIN, comm);
  MPI_Allreduce(in, out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  MPI_Allreduce(in, out, 1, MPI_2INT, MPI_MINLOC, comm);
  const MPI_Op of_bits[] = {MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  for (int i = 0; i < 6; i++) MPI_Allreduce(in, out, 1, MPI_INT, of_bits[i], comm);
  MPI_Comm_free(&comm);
}

// Every procedure, with the buffers that are given. What a rooted one has in place, only the root (1) has.
static void every_procedure(const char *name, int in_place, MPI_Datatype datatype, MPI_Op op) {
  MPI_Comm comm = named(name);
  const void *all = in_place ? MPI_IN_PLACE : in;
  const void *root = in_place && rank == 1 ? MPI_IN_PLACE : in;
  MPI_Barrier(comm);
  MPI_Bcast(in, 1, MPI_INT, 1, comm);
  MPI_Gather(root, 1, MPI_INT, out, 1, MPI_INT, 1, comm);
  MPI_Gatherv(root, 1, MPI_INT, out, each, places, MPI_INT, 1, comm);
  void *received = in_place && rank == 1 ? MPI_IN_PLACE : out;
  MPI_Scatter(in, 1, MPI_INT, received, 1, MPI_INT, 1, comm);
  MPI_Scatterv(in, each, places, MPI_INT, received, 1, MPI_INT, 1, comm);
  MPI_Allgather(all, 1, MPI_INT, out, 1, MPI_INT, comm);
  MPI_Allgatherv(all, 1, MPI_INT, out, each, places, MPI_INT, comm);
  MPI_Alltoall(all, 1, MPI_INT, out, 1, MPI_INT, comm);
  MPI_Alltoallv(all, each, places, MPI_INT, out, each, places, MPI_INT, comm);
  MPI_Alltoallw(all, each, byte_places, types, out, each, byte_places, types, comm);
  MPI_Reduce(root, out, 1, datatype, op, 1, comm);
  MPI_Allreduce(all, out, 1, datatype, op, comm);
  MPI_Reduce_scatter(all, out, each, datatype, op, comm);
  MPI_Reduce_scatter_block(all, out, 1, datatype, op, comm);
  MPI_Scan(all, out, 1, datatype, op, comm);
  MPI_Exscan(all, out, 1, datatype, op, comm);
  MPI_Comm_free(&comm);
}

// MPI may give a freed handle to the next operation.
static void operations_in_turn(void) {
  MPI_Op op;
  MPI_Op_create(keep_second, 1, &op);
  const MPI_Op first = op;
  allreduce("first of the handle", MPI_INT, op);
  MPI_Op_free(&op);
  MPI_Op_create(keep_second, 0, &op);
  if (rank == 0) printf("same handle: %d\n", op == first);
  allreduce("second of the handle", MPI_INT, op);
  MPI_Op_free(&op);
  MPI_Op_create(keep_second, 1, &op);
  allreduce("third of the handle", MPI_INT, op);
  MPI_Op_free(&op);
}

static void nonblocking(void) {
  MPI_Comm comm = named("nonblocking");
  MPI_Op op;
  MPI_Request request;
  MPI_Op_create(keep_second, 0, &op);
  MPI_Iallreduce(in, out, 1, MPI_INT, op, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Op_free(&op);
  MPI_Comm_free(&comm);
}

static void ignore(MPI_Comm *comm, int *error, ...) {
  (void)comm;
  (void)error;
}

// MPICH returns MPI_SUCCESS where a handler of the program's own has seen the error.
static void failing(void) {
  MPI_Comm comm = named("failing");
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(ignore, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_OP_NULL, comm);
  MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
}

static void fractions(void) {
  allreduce("float", MPI_FLOAT, MPI_SUM);
  allreduce("double", MPI_DOUBLE, MPI_PROD);
  allreduce("long double", MPI_LONG_DOUBLE, MPI_SUM);
  allreduce("float complex", MPI_C_FLOAT_COMPLEX, MPI_SUM);
  allreduce("double complex", MPI_C_DOUBLE_COMPLEX, MPI_PROD);
  // All are counted, not the first or the latest.
  MPI_Comm comm = named("in between");
  for (int i = 0; i < 9; i++) MPI_Allreduce(in, out, 1, i == 5 ? MPI_DOUBLE : MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
}

static void many(void) {
  char name[16];
  for (int i = 0; i < 300; i++) {
    snprintf(name, sizeof name, "%d", i);
    MPI_Comm comm = named(name);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < RANKS; i++) types[i] = MPI_INT;
  if (argc > 1 && strcmp(argv[1], "many") == 0) {
    many();
  } else {
    whole_numbers();
    exact_operations();
    fractions();
    MPI_Op op;
    MPI_Op_create(keep_second, 0, &op);
    every_procedure("plain", 0, MPI_INT, MPI_SUM);
    every_procedure("in place", 1, MPI_INT, MPI_SUM);
    every_procedure("not commutative", 0, MPI_INT, op);
    every_procedure("all", 1, MPI_DOUBLE, op);
    MPI_Op_free(&op);
    operations_in_turn();
    with_own_operation("commutes", 1, 0);
    with_own_operation("paused", 0, 1);
    nonblocking();
    failing();
    MPI_Barrier(MPI_COMM_SELF);
  }
  MPI_Finalize();
  return 0;
}
