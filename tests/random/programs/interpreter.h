// What the parts of the interpreter share.
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 4096, LONGEST = 64 };

typedef struct {
  int n;
  int values[LONGEST];
} List;

// By the numbers that scripts give them.
extern MPI_Comm comms[MOST];
extern MPI_Request pending[MOST];
extern char is_idle[MOST];  // a persistent request that is not started
extern MPI_Datatype types[MOST];

// The next argument of the line: a number, a list (its length first), or what a number stands for.
int number(void);
List numbers(void);
static inline MPI_Comm communicator(void) { return comms[number()]; }
static inline MPI_Datatype datatype(void) { return types[number()]; }
static inline int peer(void) {
  const int value = number();
  return value == -1 ? MPI_PROC_NULL : value == -2 ? MPI_ANY_SOURCE : value == -3 ? MPI_ROOT : value;
}
static inline int tag(void) {
  const int value = number();
  return value == -1 ? MPI_ANY_TAG : value;
}

_Noreturn void fail(const char *text);
void report(unsigned long long mask, long count);  // a polling call: pending requests, how often

// Memory of `count` elements: zeros that are only read, or room that is given back by the operation `room`, unless
// the operation `keep` came in between: then by `forget`.
const void *data(int count, MPI_Datatype type);
void *room(int count, MPI_Datatype type);

// What libraries before MPI 4 lack. Scripts call them only where they are.
int MPI_Isendrecv(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int, MPI_Comm,
                  MPI_Request *) __attribute__((weak));
int MPI_Isendrecv_replace(void *, int, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *) __attribute__((weak));
int MPI_Comm_idup_with_info(MPI_Comm, MPI_Info, MPI_Comm *, MPI_Request *) __attribute__((weak));

// clang-format off
#define OPERATIONS(X)                                                                                       \
  X(room) X(keep) X(forget)                                                                                 \
  X(type_builtin) X(type_contiguous) X(type_vector) X(type_struct) X(type_free)                             \
  X(Send) X(Bsend) X(Ssend) X(Rsend) X(Isend) X(Ibsend) X(Issend) X(Irsend)                                 \
  X(Recv) X(Irecv) X(Sendrecv) X(Sendrecv_replace) X(Isendrecv) X(Isendrecv_replace)                        \
  X(Probe) X(Iprobe) X(Mprobe) X(Improbe) X(Mrecv) X(Imrecv) X(Cancel)                                      \
  X(Wait) X(Waitall) X(Waitany) X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome)                       \
  X(Request_get_status) X(Request_free)                                                                     \
  X(Send_init) X(Bsend_init) X(Ssend_init) X(Rsend_init) X(Recv_init) X(Start) X(Startall)                  \
  X(Barrier) X(Bcast) X(Gather) X(Gatherv) X(Scatter) X(Scatterv) X(Allgather) X(Allgatherv)                \
  X(Alltoall) X(Alltoallv) X(Alltoallw) X(Reduce) X(Allreduce) X(Reduce_scatter) X(Reduce_scatter_block)    \
  X(Scan) X(Exscan)                                                                                         \
  X(Neighbor_allgather) X(Neighbor_allgatherv) X(Neighbor_alltoall) X(Neighbor_alltoallv)                   \
  X(Neighbor_alltoallw)                                                                                     \
  X(Comm_dup) X(Comm_dup_with_info) X(Comm_idup) X(Comm_idup_with_info) X(Comm_split) X(Comm_split_type)    \
  X(Comm_create) X(Comm_create_group) X(Cart_create) X(Cart_sub) X(Graph_create) X(Dist_graph_create)       \
  X(Dist_graph_create_adjacent) X(Intercomm_create) X(Intercomm_merge) X(Comm_free) X(Comm_disconnect)      \
  X(Comm_set_name) X(Pcontrol)                                                                              \
  X(Win_create) X(Win_allocate) X(Win_free) X(Win_fence) X(Win_post) X(Win_start) X(Win_complete)           \
  X(Win_wait) X(Win_lock) X(Win_unlock) X(Win_lock_all) X(Win_unlock_all) X(Win_flush) X(Win_flush_local)   \
  X(Win_flush_all) X(Win_flush_local_all) X(Win_sync) X(Put) X(Get) X(Accumulate) X(Get_accumulate)         \
  X(Rput) X(Rget) X(Raccumulate) X(Rget_accumulate) X(Fetch_and_op) X(Compare_and_swap)
// clang-format on
#define DECLARATION(name) void run_##name(void);
OPERATIONS(DECLARATION)
#undef DECLARATION

#endif
