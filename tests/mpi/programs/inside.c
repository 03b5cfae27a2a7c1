/* Collectives of which the messages inside are known once the algorithm is. Each is told from the others by its
 * procedure or its communicator: the world, a duplicate of it, the even and the odd ranks, and a ring.
 * test_inside.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 96, INTS = BYTES / (int)sizeof(int), MOST_RANKS = 16, STARTS = 3 };

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
enum { HAS_PERSISTENT = 1 };
#else
enum { HAS_PERSISTENT = 0 };
#define MPI_Bcast_init(buffer, count, type, root, comm, info, request) abort()
#endif

static int rank, size;
static MPI_Comm world = MPI_COMM_WORLD, duplicate, half, grid;
static MPI_Datatype every_other; /* INTS ints with a gap behind each */

static void check(int right, const char *what) {
  if (right) return;
  fprintf(stderr, "rank %d: wrong result of %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(int *buffer, int count, int value) {
  for (int i = 0; i < count; ++i) buffer[i] = value;
}

static void blocking(void) {
  static int in[MOST_RANKS * INTS], out[MOST_RANKS * INTS], wide[2 * INTS];
  fill(in, INTS, rank == 0 ? 7 : 0);
  MPI_Bcast(in, INTS, MPI_INT, 0, world);
  check(in[INTS - 1] == 7, "MPI_Bcast");

  int half_rank;
  MPI_Comm_rank(half, &half_rank);
  fill(in, INTS, half_rank == 0 ? 8 + rank : 0);
  MPI_Bcast(in, INTS, MPI_INT, 0, half);
  check(in[0] == 8 + rank % 2, "MPI_Bcast on half");

  fill(wide, 2 * INTS, rank == 0 ? 9 : 0);
  MPI_Bcast(wide, 1, every_other, 0, duplicate);
  check(wide[2 * INTS - 2] == 9 && (rank == 0 || wide[1] == 0), "MPI_Bcast of a vector");

  fill(in, INTS, rank + 1);
  MPI_Allreduce(in, out, INTS, MPI_INT, MPI_SUM, duplicate);
  check(out[0] == size * (size + 1) / 2, "MPI_Allreduce");
  MPI_Reduce(in, out, INTS, MPI_INT, MPI_SUM, 0, world);
  check(rank != 0 || out[0] == size * (size + 1) / 2, "MPI_Reduce");
  MPI_Barrier(half);
  MPI_Allgather(in, INTS, MPI_INT, out, INTS, MPI_INT, world);
  check(out[(size - 1) * INTS] == size, "MPI_Allgather");
  fill(in, size * INTS, rank + 1);
  MPI_Alltoall(in, INTS, MPI_INT, out, INTS, MPI_INT, world);
  check(out[(size - 1) * INTS] == size, "MPI_Alltoall");
  MPI_Gather(in, INTS, MPI_INT, out, INTS, MPI_INT, 0, world);
  check(rank != 0 || out[(size - 1) * INTS] == size, "MPI_Gather");
}

/* Each process has the two beside it as neighbours. MPI libraries may send for all these procedures alike. */
static void neighbours(void) {
  static const int counts[] = {INTS, INTS}, places[] = {0, INTS};
  int out[2 * INTS], in[2 * INTS];
  fill(out, 2 * INTS, rank);
  for (int i = 0; i < STARTS; ++i) {
    MPI_Neighbor_alltoall(out, INTS, MPI_INT, in, INTS, MPI_INT, grid);
    check(in[0] == (rank + size - 1) % size && in[INTS] == (rank + 1) % size, "MPI_Neighbor_alltoall");
  }
  MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, grid);
  check(in[0] == (rank + size - 1) % size && in[INTS] == (rank + 1) % size, "MPI_Neighbor_alltoallv");
  MPI_Neighbor_allgather(out, INTS, MPI_INT, in, INTS, MPI_INT, grid);
  check(in[0] == (rank + size - 1) % size && in[INTS] == (rank + 1) % size, "MPI_Neighbor_allgather");
}

/* The root starts when all others have started and waited for it, so that they hand the message on inside other calls
 * than the one that started it. */
static void nonblocking(void) {
  int message[INTS], in[INTS], out[INTS];
  MPI_Request request;
  fill(message, INTS, rank == 0 ? 5 : 0);
  if (rank != 0) MPI_Ibcast(message, INTS, MPI_INT, 0, duplicate, &request);
  MPI_Barrier(world);
  if (rank == 0) MPI_Ibcast(message, INTS, MPI_INT, 0, duplicate, &request);
  fill(in, INTS, 1);
  for (int i = 0; i < STARTS; ++i) MPI_Allreduce(in, out, INTS, MPI_INT, MPI_SUM, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(message[0] == 5 && out[0] == size, "MPI_Ibcast and MPI_Allreduce");
}

static void persistent(void) {
  if (!HAS_PERSISTENT) return;
  int message[INTS];
  MPI_Request request;
  MPI_Bcast_init(message, INTS, MPI_INT, 0, half, MPI_INFO_NULL, &request);
  for (int i = 0; i < STARTS; ++i) {
    fill(message, INTS, rank < 2 ? i + 1 : 0);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(message[0] == i + 1, "MPI_Bcast_init");
  }
  MPI_Request_free(&request);
}

/* The program's own messages: they are no messages inside collectives. */
static void ring(void) {
  int out[2 * INTS], in[2 * INTS];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Request request;
  fill(out, 2 * INTS, rank);
  MPI_Irecv(in, INTS, MPI_INT, previous, 3, world, &request);
  MPI_Send(out, 1, every_other, next, 3, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Irecv(in, INTS, MPI_INT, previous, 4, duplicate, &request);
  MPI_Ssend(out, INTS, MPI_INT, next, 4, duplicate);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(in[0] == previous, "messages around the ring");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Comm_dup(world, &duplicate);
  MPI_Comm_split(world, rank % 2, rank, &half);
  MPI_Cart_create(world, 1, &size, &(int){1}, 0, &grid);
  MPI_Type_vector(INTS, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  blocking();
  neighbours();
  nonblocking();
  persistent();
  ring();
  if (rank == 0) puts(HAS_PERSISTENT ? "with persistent collectives" : "without persistent collectives");
  MPI_Type_free(&every_other);
  MPI_Comm_free(&grid);
  MPI_Comm_free(&half);
  MPI_Comm_free(&duplicate);
  MPI_Finalize();
  return 0;
}
