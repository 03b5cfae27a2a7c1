// Phases whose collectives are tried out while they run. All results are compared with what they must be.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 256, LONG = 8192 };

static int rank, ranks, wrong, copied;

static void expect(int is_right) { wrong += !is_right; }

static void exchange(int calls) {
  int *send = malloc((size_t)ranks * BLOCK * sizeof(int)), *receive = malloc((size_t)ranks * BLOCK * sizeof(int));
  for (int call = 0; call < calls; call++) {
    for (int i = 0; i < ranks * BLOCK; i++) send[i] = call + 1000 * rank + i / BLOCK;
    MPI_Alltoall(send, BLOCK, MPI_INT, receive, BLOCK, MPI_INT, MPI_COMM_WORLD);
    for (int from = 0; from < ranks; from++) expect(receive[from * BLOCK + BLOCK - 1] == call + 1000 * from + rank);
  }
  free(send);
  free(receive);
}

static void broadcast(int calls) {
  int *values = malloc(LONG * sizeof(int));
  for (int call = 0; call < calls; call++) {
    for (int i = 0; i < LONG; i++) values[i] = rank == call % ranks ? call + i : -1;
    MPI_Bcast(values, LONG, MPI_INT, call % ranks, MPI_COMM_WORLD);
    expect(values[0] == call && values[LONG - 1] == call + LONG - 1);
    usleep(100);
  }
  free(values);
}

// Pairs of functions a x + b, one after the other: the order matters.
static void compose(void *first, void *second, int *count, MPI_Datatype *type) {
  int *f = first, *g = second;
  (void)type;
  for (int i = 0; i < *count; i++) {
    g[2 * i + 1] += g[2 * i] * f[2 * i + 1];
    g[2 * i] *= f[2 * i];
  }
}

static void in_order(int calls) {
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Op_create(compose, 0, &op);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int call = 0; call < calls; call++) {
    int mine[2] = {2, rank + call}, all[2], right[2] = {2, call};
    MPI_Allreduce(mine, all, 1, pair, op, MPI_COMM_WORLD);
    for (int i = 1; i < ranks; i++) {
      right[1] = i + call + 2 * right[1];
      right[0] *= 2;
    }
    expect(all[0] == right[0] && all[1] == right[1]);
  }
  MPI_Type_free(&pair);
  MPI_Op_free(&op);
}

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *result, int *flag) {
  (void)comm, (void)key, (void)extra;
  *(void **)result = value;
  *flag = 1;
  copied++;
  return MPI_SUCCESS;
}

// Communicators that come and go, with an attribute whose copies are counted.
static void come_and_go(int rounds) {
  int key;
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  for (int round = 0; round < rounds; round++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < 60; call++) {
      int mine = rank + call, all = 0;
      MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
      expect(all == ranks * call + ranks * (ranks - 1) / 2);
    }
    MPI_Comm_free(&comm);
  }
  expect(copied == rounds);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int calls = argc > 1 ? atoi(argv[1]) : 400;
  in_order(100);
  exchange(calls);
  broadcast(calls);
  come_and_go(10);
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong: %d\n", all);
  MPI_Finalize();
  return 0;
}
