// Every collective, blocking and started + waited for, on MPI_COMM_WORLD and on two communicators of other sizes
// (the even ranks in reverse order, the odd ranks in order). Counts, roots and types differ so that a mix-up shows;
// tests/mpi/test_collectives.py has the same list in the same order and computes every byte from it.
// Results are checked here: a profiler that changes an argument must not go unnoticed.
#include <mpi.h>
#include <stdio.h>

enum { ROOM = 2000 };

static int out[ROOM], in[ROOM];
static int counts[8], places[8], other_counts[8], other_places[8];
static int byte_places[8], other_byte_places[8];
static MPI_Datatype types[8], other_types[8];
static MPI_Datatype pair;  // two ints in the room of four: 8 bytes, extent 16
static MPI_Comm comm;
static int p, me, started, failures;

// The same arguments to the blocking procedure or to its started twin.
#define CALL(blocking, starting, ...)        \
  do {                                       \
    if (started) {                           \
      MPI_Request request;                   \
      MPI_##starting(__VA_ARGS__, &request); \
      MPI_Wait(&request, MPI_STATUS_IGNORE); \
    } else {                                 \
      MPI_##blocking(__VA_ARGS__);           \
    }                                        \
  } while (0)

static void check(int is, int should, const char *what) {
  if (is == should) return;
  if (failures++ < 5) fprintf(stderr, "%s: rank %d of %d has %d, not %d\n", what, me, p, is, should);
}

static void fill(void) {
  for (int i = 0; i < ROOM; i++) {
    out[i] = 1000 * me + i;
    in[i] = -1;
  }
}

// Packs blocks one after the other; `scale` ints of room for each element.
static int place(int *to, const int *of, int scale) {
  int end = 0;
  for (int i = 0; i < p; i++) {
    to[i] = end;
    end += scale * of[i];
  }
  return end;
}

static void barrier_and_broadcast(void) {
  if (started) {
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(comm);
  }

  fill();
  CALL(Bcast, Ibcast, out, 100, MPI_INT, p - 1, comm);
  check(out[99], 1000 * (p - 1) + 99, "Bcast");
  fill();
  CALL(Bcast, Ibcast, out, 3, pair, 1, comm);
  check(out[9], 1009, "Bcast of a derived type");
  check(out[10], 1000 * me + 10, "Bcast into the gap of a derived type");
  CALL(Bcast, Ibcast, out, 0, MPI_INT, 0, comm);
}

static void gather(void) {
  const int last = p - 1;
  fill();
  CALL(Gather, Igather, out, 10, MPI_INT, in, 10, MPI_INT, last, comm);
  for (int i = 0; me == last && i < p; i++) check(in[10 * i + 9], 1000 * i + 9, "Gather");
  fill();
  for (int i = 0; i < 7; i++) in[7 * me + i] = out[i];
  CALL(Gather, Igather, me == 1 ? MPI_IN_PLACE : out, 7, MPI_INT, in, 7, MPI_INT, 1, comm);
  for (int i = 0; me == 1 && i < p; i++) check(in[7 * i + 6], 1000 * i + 6, "Gather in place");

  fill();
  for (int i = 0; i < p; i++) counts[i] = 3 * i;
  place(places, counts, 1);
  CALL(Gatherv, Igatherv, out, counts[me], MPI_INT, in, counts, places, MPI_INT, 1, comm);
  for (int i = 1; me == 1 && i < p; i++) check(in[places[i] + 3 * i - 1], 1000 * i + 3 * i - 1, "Gatherv");
  fill();
  for (int i = 0; i < counts[me]; i++) in[places[me] + i] = out[i];
  CALL(Gatherv, Igatherv, me == last ? MPI_IN_PLACE : out, counts[me], MPI_INT, in, counts, places, MPI_INT, last,
       comm);
  for (int i = 1; me == last && i < p; i++) check(in[places[i]], 1000 * i, "Gatherv in place");
}

static void scatter(void) {
  const int last = p - 1;
  fill();
  CALL(Scatter, Iscatter, out, 6, MPI_INT, in, 6, MPI_INT, last, comm);
  check(in[5], 1000 * last + 6 * me + 5, "Scatter");
  fill();
  CALL(Scatter, Iscatter, out, 4, MPI_INT, me == 1 ? MPI_IN_PLACE : in, 4, MPI_INT, 1, comm);
  if (me != 1) check(in[3], 1000 + 4 * me + 3, "Scatter in place");

  fill();
  for (int i = 0; i < p; i++) counts[i] = 2 * i;
  place(places, counts, 1);
  CALL(Scatterv, Iscatterv, out, counts, places, MPI_INT, in, counts[me], MPI_INT, 1, comm);
  if (me > 0) check(in[0], 1000 + places[me], "Scatterv");
  fill();
  CALL(Scatterv, Iscatterv, out, counts, places, MPI_INT, me == last ? MPI_IN_PLACE : in, counts[me], MPI_INT, last,
       comm);
  if (me > 0 && me != last) check(in[0], 1000 * last + places[me], "Scatterv in place");
}

static void allgather(void) {
  fill();
  CALL(Allgather, Iallgather, out, 5, MPI_INT, in, 5, MPI_INT, comm);
  for (int i = 0; i < p; i++) check(in[5 * i + 4], 1000 * i + 4, "Allgather");
  fill();
  for (int i = 0; i < 9; i++) in[9 * me + i] = out[i];
  CALL(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 9, MPI_INT, comm);
  for (int i = 0; i < p; i++) check(in[9 * i + 8], 1000 * i + 8, "Allgather in place");

  fill();
  for (int i = 0; i < p; i++) counts[i] = 2 * i;
  place(places, counts, 1);
  CALL(Allgatherv, Iallgatherv, out, counts[me], MPI_INT, in, counts, places, MPI_INT, comm);
  for (int i = 1; i < p; i++) check(in[places[i]], 1000 * i, "Allgatherv");
  fill();
  for (int i = 0; i < counts[me]; i++) in[places[me] + i] = out[i];
  CALL(Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, comm);
  for (int i = 1; i < p; i++) check(in[places[i] + 1], 1000 * i + 1, "Allgatherv in place");
}

static void alltoall(void) {
  fill();
  CALL(Alltoall, Ialltoall, out, 3, MPI_INT, in, 3, MPI_INT, comm);
  for (int i = 0; i < p; i++) check(in[3 * i + 2], 1000 * i + 3 * me + 2, "Alltoall");
  fill();
  for (int i = 0; i < 2 * p; i++) in[i] = out[i];
  CALL(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, comm);
  for (int i = 0; i < p; i++) check(in[2 * i + 1], 1000 * i + 2 * me + 1, "Alltoall in place");

  // From i to j go (2 i + j) mod 4 ints, some of them none.
  fill();
  for (int i = 0; i < p; i++) {
    counts[i] = (2 * me + i) % 4;
    other_counts[i] = (2 * i + me) % 4;
  }
  place(places, counts, 1);
  place(other_places, other_counts, 1);
  CALL(Alltoallv, Ialltoallv, out, counts, places, MPI_INT, in, other_counts, other_places, MPI_INT, comm);
  for (int i = 0, at; i < p; i++) {
    at = 0;
    for (int j = 0; j < me; j++) at += (2 * i + j) % 4;
    if (other_counts[i] > 0) check(in[other_places[i]], 1000 * i + at, "Alltoallv");
  }
  // In place: (i + j) mod 3 each way.
  fill();
  for (int i = 0; i < p; i++) counts[i] = (i + me) % 3;
  place(places, counts, 1);
  for (int i = 0; i < p; i++) {
    for (int k = 0; k < counts[i]; k++) in[places[i] + k] = 1000 * me + i;
  }
  CALL(Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, comm);
  for (int i = 0; i < p; i++) {
    if (counts[i] > 0) check(in[places[i]], 1000 * i + me, "Alltoallv in place");
  }

  // Odd ranks get pairs, even ones ints: (i + 2 j) mod 3 of them from i to j.
  fill();
  for (int i = 0; i < p; i++) {
    counts[i] = (me + 2 * i) % 3;
    types[i] = i % 2 ? pair : MPI_INT;
    other_counts[i] = (i + 2 * me) % 3;
    other_types[i] = me % 2 ? pair : MPI_INT;
    byte_places[i] = other_byte_places[i] = 64 * i;
  }
  CALL(Alltoallw, Ialltoallw, out, counts, byte_places, types, in, other_counts, other_byte_places, other_types, comm);
  for (int i = 0; i < p; i++) {
    if (other_counts[i] > 0) check(in[16 * i + me % 2], 1000 * i + 16 * me + me % 2, "Alltoallw");
  }
  // One type for all, because MPI_Ialltoallw of MPICH 4.0.2 in place gives wrong results with several.
  fill();
  for (int i = 0; i < p; i++) {
    counts[i] = (me + i) % 3;
    types[i] = pair;
    for (int k = 0; k < 16; k++) in[16 * i + k] = 1000 * me + i;
  }
  CALL(Alltoallw, Ialltoallw, MPI_IN_PLACE, NULL, NULL, NULL, in, counts, byte_places, types, comm);
  for (int i = 0; i < p; i++) {
    if (counts[i] > 0) check(in[16 * i], 1000 * i + me, "Alltoallw in place");
  }
}

static void reduce(void) {
  static double a[1000], b[1000];
  const int sum = p * (p - 1) / 2, last = p - 1;
#define ONES \
  for (int i = 0; i < 1000; i++) a[i] = b[i] = me
  ONES;
  CALL(Reduce, Ireduce, a, b, 8, MPI_DOUBLE, MPI_SUM, 1, comm);
  if (me == 1) check((int)b[7], sum, "Reduce");
  ONES;
  CALL(Reduce, Ireduce, me == last ? MPI_IN_PLACE : a, b, 20, MPI_DOUBLE, MPI_SUM, last, comm);
  if (me == last) check((int)b[19], sum, "Reduce in place");

  ONES;
  CALL(Allreduce, Iallreduce, a, b, 1, MPI_DOUBLE, MPI_SUM, comm);
  check((int)b[0], sum, "Allreduce");
  ONES;
  CALL(Allreduce, Iallreduce, MPI_IN_PLACE, b, 1000, MPI_DOUBLE, MPI_MAX, comm);
  check((int)b[999], last, "Allreduce in place");
  CALL(Allreduce, Iallreduce, a, b, 0, MPI_DOUBLE, MPI_SUM, comm);

  fill();
  for (int i = 0; i < p; i++) counts[i] = 2 * i;
  place(places, counts, 1);
  CALL(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
  if (me > 0) check(in[0], 1000 * sum + p * places[me], "Reduce_scatter");
  fill();
  CALL(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, out, counts, MPI_INT, MPI_MAX, comm);
  if (me > 0) check(out[0], 1000 * last + places[me], "Reduce_scatter in place");
  fill();
  CALL(Reduce_scatter_block, Ireduce_scatter_block, out, in, 4, MPI_INT, MPI_SUM, comm);
  check(in[3], 1000 * sum + p * (4 * me + 3), "Reduce_scatter_block");
  fill();
  CALL(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, out, 50, MPI_INT, MPI_MAX, comm);
  check(out[49], 1000 * last + 50 * me + 49, "Reduce_scatter_block in place");

  ONES;
  CALL(Scan, Iscan, a, b, 3, MPI_DOUBLE, MPI_SUM, comm);
  check((int)b[2], me * (me + 1) / 2, "Scan");
  ONES;
  CALL(Scan, Iscan, MPI_IN_PLACE, b, 30, MPI_DOUBLE, MPI_SUM, comm);
  check((int)b[29], me * (me + 1) / 2, "Scan in place");
  ONES;
  CALL(Exscan, Iexscan, a, b, 2, MPI_DOUBLE, MPI_SUM, comm);
  if (me > 0) check((int)b[1], me * (me - 1) / 2, "Exscan");
  ONES;
  CALL(Exscan, Iexscan, MPI_IN_PLACE, b, 16, MPI_DOUBLE, MPI_SUM, comm);
  if (me > 0) check((int)b[15], me * (me - 1) / 2, "Exscan in place");
}

static void all_on(MPI_Comm given) {
  comm = given;
  MPI_Comm_size(comm, &p);
  MPI_Comm_rank(comm, &me);
  for (started = 0; started < 2; started++) {
    barrier_and_broadcast();
    gather();
    scatter();
    allgather();
    alltoall();
    reduce();
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype two;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_create_resized(two, 0, 4 * sizeof(int), &pair);
  MPI_Type_free(&two);
  MPI_Type_commit(&pair);

  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank % 2 ? rank : -rank, &part);
  all_on(MPI_COMM_WORLD);
  all_on(part);
  MPI_Comm_free(&part);
  MPI_Type_free(&pair);
  MPI_Finalize();
  return failures != 0;
}
