// Collectives: blocking where the request's number is -1, nonblocking where it is not negative; -2 and what is below
// are the numbers of persistent ones.
#include "interpreter.h"

// What libraries before MPI 4 lack. (No arguments are named, so that it agrees with the headers of the others.)
#define PERSISTENT(name) int MPI_##name##_init() __attribute__((weak));
// clang-format off
PERSISTENT(Barrier) PERSISTENT(Bcast) PERSISTENT(Gather) PERSISTENT(Gatherv) PERSISTENT(Scatter) PERSISTENT(Scatterv)
PERSISTENT(Allgather) PERSISTENT(Allgatherv) PERSISTENT(Alltoall) PERSISTENT(Alltoallv) PERSISTENT(Alltoallw)
PERSISTENT(Reduce) PERSISTENT(Allreduce) PERSISTENT(Reduce_scatter) PERSISTENT(Reduce_scatter_block)
PERSISTENT(Scan) PERSISTENT(Exscan) PERSISTENT(Neighbor_allgather) PERSISTENT(Neighbor_allgatherv)
PERSISTENT(Neighbor_alltoall) PERSISTENT(Neighbor_alltoallv) PERSISTENT(Neighbor_alltoallw)
    // clang-format on

    static MPI_Op operation(void) {
  switch (number()) {
    case 0:
      return MPI_SUM;
    case 1:
      return MPI_MAX;
    case 2:
      return MPI_MINLOC;
    default:
      return MPI_BOR;
  }
}

#define CALL(name, nonblocking_name, ...)                                    \
  do {                                                                       \
    const int request = number();                                            \
    if (request == -1) {                                                     \
      MPI_##name(__VA_ARGS__);                                               \
    } else if (request < -1) {                                               \
      MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &pending[-2 - request]); \
      is_idle[-2 - request] = 1;                                             \
    } else {                                                                 \
      MPI_##nonblocking_name(__VA_ARGS__, &pending[request]);                \
    }                                                                        \
  } while (0)

static int sum(const List *list) {
  int total = 0;
  for (int i = 0; i < list->n; ++i) total += list->values[i];
  return total;
}

// Offsets in elements of blocks that lie behind one another. They live until the next use but a few, because a
// nonblocking collective reads them until it is complete.
static int *kept(int n) {
  static int ring[1 << 20];
  static int at;
  if (at + n > 1 << 20) at = 0;
  at += n;
  return ring + at - n;
}

static const int *counts_of(const List *list) {
  int *copy = kept(list->n);
  for (int i = 0; i < list->n; ++i) copy[i] = list->values[i];
  return copy;
}

static const int *offsets_of(const List *list) {
  int *offsets = kept(list->n), at = 0;
  for (int i = 0; i < list->n; ++i) {
    offsets[i] = at;
    at += list->values[i];
  }
  return offsets;
}

// For the calls with a datatype for each process.
typedef struct {
  const int *counts, *offsets;
  const MPI_Datatype *types;
  int n, bytes;
} Blocks;

static Blocks blocks(void) {
  static MPI_Datatype ring[1 << 16];
  static int ring_at;
  const List counts = numbers(), numbers_of_types = numbers();
  if (ring_at + counts.n > 1 << 16) ring_at = 0;
  MPI_Datatype *handles = ring + ring_at;
  ring_at += counts.n;
  int *offsets = kept(counts.n), at = 0;
  for (int i = 0; i < counts.n; ++i) {
    MPI_Aint low, extent;
    handles[i] = types[numbers_of_types.values[i]];
    PMPI_Type_get_extent(handles[i], &low, &extent);
    offsets[i] = at;
    at += counts.values[i] * (int)extent + 64;
    at = at / 64 * 64;
  }
  return (Blocks){counts_of(&counts), offsets, handles, counts.n, at};
}

static int peers(MPI_Comm comm) {
  int inter, n;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter) {
    PMPI_Comm_remote_size(comm, &n);
  } else {
    PMPI_Comm_size(comm, &n);
  }
  return n;
}

// More blocks than any neighbourhood has.
enum { MOST_NEIGHBOURS = 32 };

void run_Barrier(void) {
  const MPI_Comm comm = communicator();
  CALL(Barrier, Ibarrier, comm);
}

void run_Bcast(void) {
  const MPI_Comm comm = communicator();
  const int count = number();
  const MPI_Datatype type = datatype();
  const int root = peer();
  CALL(Bcast, Ibcast, room(count, type), count, type, root, comm);
}

#define GATHER(name, nonblocking_name, RECEIVE, TOTAL, ...)                                                      \
  void run_##name(void) {                                                                                        \
    const MPI_Comm comm = communicator();                                                                        \
    const int sendcount = number();                                                                              \
    const MPI_Datatype sendtype = datatype();                                                                    \
    RECEIVE;                                                                                                     \
    const MPI_Datatype recvtype = datatype();                                                                    \
    const int root = peer(), in_place = number();                                                                \
    void *into = room(TOTAL, recvtype);                                                                          \
    CALL(name, nonblocking_name, in_place ? MPI_IN_PLACE : data(sendcount, sendtype), sendcount, sendtype, into, \
         __VA_ARGS__, recvtype, root, comm);                                                                     \
  }
GATHER(Gather, Igather, const int recvcount = number(), recvcount *peers(comm), recvcount)
#define VECTOR counts_of(&recvcounts), offsets_of(&recvcounts)
GATHER(Gatherv, Igatherv, const List recvcounts = numbers(), sum(&recvcounts), VECTOR)

void run_Scatter(void) {
  const MPI_Comm comm = communicator();
  const int sendcount = number();
  const MPI_Datatype sendtype = datatype();
  const int recvcount = number();
  const MPI_Datatype recvtype = datatype();
  const int root = peer(), in_place = number();
  const void *from = data(sendcount * peers(comm), sendtype);
  CALL(Scatter, Iscatter, from, sendcount, sendtype, in_place ? MPI_IN_PLACE : room(recvcount, recvtype), recvcount,
       recvtype, root, comm);
}

void run_Scatterv(void) {
  const MPI_Comm comm = communicator();
  const List sendcounts = numbers();
  const MPI_Datatype sendtype = datatype();
  const int recvcount = number();
  const MPI_Datatype recvtype = datatype();
  const int root = peer(), in_place = number();
  const void *from = data(sum(&sendcounts), sendtype);
  CALL(Scatterv, Iscatterv, from, counts_of(&sendcounts), offsets_of(&sendcounts), sendtype,
       in_place ? MPI_IN_PLACE : room(recvcount, recvtype), recvcount, recvtype, root, comm);
}

// Calls that send the same block to everybody, or one block to each.
#define TO_ALL(name, nonblocking_name, BLOCKS_SENT, BLOCKS_RECEIVED)                                                 \
  void run_##name(void) {                                                                                            \
    const MPI_Comm comm = communicator();                                                                            \
    const int sendcount = number();                                                                                  \
    const MPI_Datatype sendtype = datatype();                                                                        \
    const int recvcount = number();                                                                                  \
    const MPI_Datatype recvtype = datatype();                                                                        \
    const int in_place = number();                                                                                   \
    const void *from = in_place ? MPI_IN_PLACE : data(sendcount * (BLOCKS_SENT), sendtype);                          \
    CALL(name, nonblocking_name, from, sendcount, sendtype, room(recvcount *(BLOCKS_RECEIVED), recvtype), recvcount, \
         recvtype, comm);                                                                                            \
  }
TO_ALL(Allgather, Iallgather, 1, peers(comm))
TO_ALL(Alltoall, Ialltoall, peers(comm), peers(comm))
TO_ALL(Neighbor_allgather, Ineighbor_allgather, 1, MOST_NEIGHBOURS)
TO_ALL(Neighbor_alltoall, Ineighbor_alltoall, MOST_NEIGHBOURS, MOST_NEIGHBOURS)

#define GATHERED_BY_ALL(name, nonblocking_name)                                                                       \
  void run_##name(void) {                                                                                             \
    const MPI_Comm comm = communicator();                                                                             \
    const int sendcount = number();                                                                                   \
    const MPI_Datatype sendtype = datatype();                                                                         \
    const List recvcounts = numbers();                                                                                \
    const MPI_Datatype recvtype = datatype();                                                                         \
    const void *from = number() ? MPI_IN_PLACE : data(sendcount, sendtype);                                           \
    CALL(name, nonblocking_name, from, sendcount, sendtype, room(sum(&recvcounts), recvtype), counts_of(&recvcounts), \
         offsets_of(&recvcounts), recvtype, comm);                                                                    \
  }
GATHERED_BY_ALL(Allgatherv, Iallgatherv)
GATHERED_BY_ALL(Neighbor_allgatherv, Ineighbor_allgatherv)

#define EXCHANGED_V(name, nonblocking_name)                                                                  \
  void run_##name(void) {                                                                                    \
    const MPI_Comm comm = communicator();                                                                    \
    const List sendcounts = numbers();                                                                       \
    const MPI_Datatype sendtype = datatype();                                                                \
    const List recvcounts = numbers();                                                                       \
    const MPI_Datatype recvtype = datatype();                                                                \
    const void *from = number() ? MPI_IN_PLACE : data(sum(&sendcounts), sendtype);                           \
    CALL(name, nonblocking_name, from, counts_of(&sendcounts), offsets_of(&sendcounts), sendtype,            \
         room(sum(&recvcounts), recvtype), counts_of(&recvcounts), offsets_of(&recvcounts), recvtype, comm); \
  }
EXCHANGED_V(Alltoallv, Ialltoallv)
EXCHANGED_V(Neighbor_alltoallv, Ineighbor_alltoallv)

void run_Alltoallw(void) {
  const MPI_Comm comm = communicator();
  const Blocks to = blocks(), from = blocks();
  const void *sent = number() ? MPI_IN_PLACE : data(to.bytes, MPI_BYTE);
  CALL(Alltoallw, Ialltoallw, sent, to.counts, to.offsets, to.types, room(from.bytes, MPI_BYTE), from.counts,
       from.offsets, from.types, comm);
}

static const MPI_Aint *addresses(const int *offsets, int n) {
  static MPI_Aint ring[1 << 16];
  static int at;
  if (at + n > 1 << 16) at = 0;
  MPI_Aint *copy = ring + at;
  at += n;
  for (int i = 0; i < n; ++i) copy[i] = offsets[i];
  return copy;
}

void run_Neighbor_alltoallw(void) {
  const MPI_Comm comm = communicator();
  const Blocks to = blocks(), from = blocks();
  const int in_place = number();
  (void)in_place;
  CALL(Neighbor_alltoallw, Ineighbor_alltoallw, data(to.bytes, MPI_BYTE), to.counts, addresses(to.offsets, to.n),
       to.types, room(from.bytes, MPI_BYTE), from.counts, addresses(from.offsets, from.n), from.types, comm);
}

void run_Reduce(void) {
  const MPI_Comm comm = communicator();
  const int count = number();
  const MPI_Datatype type = datatype();
  const MPI_Op op = operation();
  const int root = peer(), in_place = number();
  CALL(Reduce, Ireduce, in_place ? MPI_IN_PLACE : data(count, type), room(count, type), count, type, op, root, comm);
}

#define REDUCED(name, nonblocking_name)                                                                           \
  void run_##name(void) {                                                                                         \
    const MPI_Comm comm = communicator();                                                                         \
    const int count = number();                                                                                   \
    const MPI_Datatype type = datatype();                                                                         \
    const MPI_Op op = operation();                                                                                \
    const int in_place = number();                                                                                \
    CALL(name, nonblocking_name, in_place ? MPI_IN_PLACE : data(count, type), room(count, type), count, type, op, \
         comm);                                                                                                   \
  }
REDUCED(Allreduce, Iallreduce)
REDUCED(Scan, Iscan)
REDUCED(Exscan, Iexscan)

void run_Reduce_scatter(void) {
  const MPI_Comm comm = communicator();
  const List recvcounts = numbers();
  const MPI_Datatype type = datatype();
  const MPI_Op op = operation();
  const int in_place = number(), all = sum(&recvcounts);
  CALL(Reduce_scatter, Ireduce_scatter, in_place ? MPI_IN_PLACE : data(all, type), room(all, type),
       counts_of(&recvcounts), type, op, comm);
}

void run_Reduce_scatter_block(void) {
  const MPI_Comm comm = communicator();
  const int count = number();
  const MPI_Datatype type = datatype();
  const MPI_Op op = operation();
  const int in_place = number(), all = count * LONGEST;
  CALL(Reduce_scatter_block, Ireduce_scatter_block, in_place ? MPI_IN_PLACE : data(all, type), room(all, type), count,
       type, op, comm);
}
