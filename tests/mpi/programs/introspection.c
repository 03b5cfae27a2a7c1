// Sessions of MPI_Monitoring.h: what they count, by construction, and every wrong use. Each rank checks for itself and
// says what is wrong; the exit status tells whether anything was.
//
//   introspection [counts] [inside] [logical] [states] [many] [files PREFIX] [warnings PREFIX] [so_far]
//   introspection closed
//   introspection threads
#include <MPI_Monitoring.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static int wrong;

static void check(int holds, const char *what, int line) {
  if (holds) return;
  fprintf(stderr, "rank %d, line %d: not so: %s\n", rank, line, what);
  wrong = 1;
}
#define CHECK(what) check(what, #what, __LINE__)

typedef struct {
  unsigned long *counts, *sizes;
} Row;

static Row read_row(MPI_M_msid msid, int flags) {
  int n = 0;
  CHECK(MPI_M_get_info(msid, MPI_M_INT_IGNORE, &n) == MPI_SUCCESS);
  Row row = {calloc(n, sizeof *row.counts), calloc(n, sizeof *row.sizes)};
  CHECK(MPI_M_get_data(msid, row.counts, row.sizes, flags) == MPI_SUCCESS);
  return row;
}

static void free_row(Row row) {
  free(row.counts);
  free(row.sizes);
}

// Whether a row has just these messages and bytes to one member; to == -1: none at all.
static int row_is(MPI_M_msid msid, int flags, int members, int to, unsigned long messages, unsigned long bytes) {
  Row row = read_row(msid, flags);
  int is = 1;
  for (int i = 0; i < members; ++i) {
    const int there = i == to;
    is = is && row.counts[i] == (there ? messages : 0) && row.sizes[i] == (there ? bytes : 0);
    if (!is) {
      fprintf(stderr, "rank %d: to %d flags %d: %lu messages, %lu bytes\n", rank, i, flags, row.counts[i],
              row.sizes[i]);
      break;
    }
  }
  free_row(row);
  return is;
}

static void ring(MPI_Comm comm, int messages, int bytes) {
  int me, n;
  char out[1024] = {0}, in[1024];
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &n);
  for (int i = 0; i < messages; ++i) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, (me + 1) % n, 0, in, bytes, MPI_CHAR, (me + n - 1) % n, 0, comm,
                 MPI_STATUS_IGNORE);
  }
}

// User point-to-point, one-sided; two sessions that overlap; a session on a part of the world sees what is sent on the
// world between its members, and only that.
static void counts(void) {
  const int next = (rank + 1) % size;
  MPI_M_msid outer, inner, even;
  CHECK(MPI_M_init() == MPI_SUCCESS);
  ring(MPI_COMM_WORLD, 5, 11);  // before any session
  CHECK(MPI_M_start(MPI_COMM_WORLD, &outer) == MPI_SUCCESS);
  ring(MPI_COMM_WORLD, 3, 100);
  CHECK(MPI_M_start(MPI_COMM_WORLD, &inner) == MPI_SUCCESS);
  ring(MPI_COMM_WORLD, 2, 7);
  CHECK(MPI_M_suspend(outer) == MPI_SUCCESS);
  ring(MPI_COMM_WORLD, 1, 1000);
  CHECK(MPI_M_suspend(inner) == MPI_SUCCESS);
  CHECK(row_is(outer, MPI_M_USER_ONLY, size, next, 5, 314));
  CHECK(row_is(inner, MPI_M_USER_ONLY, size, next, 3, 1014));
  CHECK(row_is(outer, MPI_M_P2P_ONLY, size, next, 5, 314));
  CHECK(row_is(outer, MPI_M_P2P_ONLY | MPI_M_USER_ONLY, size, next, 5, 314));
  CHECK(row_is(outer, MPI_M_ALL_COMM, size, next, 5, 314));
  CHECK(row_is(outer, MPI_M_COLL_ONLY | MPI_M_OSC_ONLY | MPI_M_INSIDE_ONLY, size, -1, 0, 0));
  CHECK(MPI_M_continue(outer) == MPI_SUCCESS);
  ring(MPI_COMM_WORLD, 1, 10);
  CHECK(MPI_M_suspend(outer) == MPI_SUCCESS);
  CHECK(row_is(outer, MPI_M_USER_ONLY, size, next, 6, 324));
  CHECK(MPI_M_reset(outer) == MPI_SUCCESS);
  CHECK(row_is(outer, MPI_M_USER_ONLY, size, -1, 0, 0));

  // The matrices, on all and on one.
  const size_t n = size, entries = n * n;
  unsigned long *matrix = calloc(entries, sizeof *matrix), *sizes = calloc(entries, sizeof *sizes);
  CHECK(MPI_M_allgather_data(inner, matrix, sizes, MPI_M_USER_ONLY) == MPI_SUCCESS);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      CHECK(matrix[i * size + j] == ((i + 1) % size == j ? 3 : 0));
      CHECK(sizes[i * size + j] == ((i + 1) % size == j ? 1014 : 0));
    }
  }
  memset(matrix, 0, entries * sizeof *matrix);
  CHECK(MPI_M_allgather_data(inner, MPI_M_DATA_IGNORE, sizes, MPI_M_USER_ONLY) == MPI_SUCCESS);
  const int root = size - 1;
  CHECK(MPI_M_rootgather_data(inner, root, rank == root ? matrix : NULL, NULL, MPI_M_USER_ONLY) == MPI_SUCCESS);
  if (rank == root) CHECK(matrix[root * size + 0] == 3 && matrix[root * size + root] == 0);
  free(matrix);
  free(sizes);
  // What they cost in messages of our own is nobody's.
  CHECK(MPI_M_continue(outer) == MPI_SUCCESS);
  unsigned long ours[64 * 64];
  CHECK(MPI_M_allgather_data(inner, ours, MPI_M_DATA_IGNORE, MPI_M_USER_ONLY) == MPI_SUCCESS);
  CHECK(MPI_M_rootgather_data(inner, 0, ours, MPI_M_DATA_IGNORE, MPI_M_USER_ONLY) == MPI_SUCCESS);
  CHECK(MPI_M_suspend(MPI_M_ALL_MSID) == MPI_SUCCESS);
  CHECK(row_is(outer, MPI_M_ALL_COMM, size, -1, 0, 0));

  // Even and odd ranks.
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int half_rank, half_size;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  CHECK(MPI_M_start(half, &even) == MPI_SUCCESS);
  ring(MPI_COMM_WORLD, 4, 50);  // to the other half
  ring(half, 2, 30);
  char byte = 0, other;
  const int twice = (rank + 2) % size;  // of the same half, on the world
  MPI_Sendrecv(&byte, 1, MPI_CHAR, twice, 1, &other, 1, MPI_CHAR, (rank + size - 2) % size, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(MPI_M_suspend(even) == MPI_SUCCESS);
  CHECK(row_is(even, MPI_M_USER_ONLY, half_size, (half_rank + 1) % half_size, 3, 61));
  MPI_Comm_free(&half);
  // Its session outlives a communicator.
  unsigned long all[256];
  CHECK(MPI_M_allgather_data(even, all, MPI_M_DATA_IGNORE, MPI_M_USER_ONLY) == MPI_SUCCESS);
  CHECK(all[half_rank * half_size + (half_rank + 1) % half_size] == 3);
  CHECK(MPI_M_free(even) == MPI_SUCCESS);

  // One-sided: a put is its bytes, a get a message of none.
  int window_memory[16] = {0}, value[4] = {1, 2, 3, 4};
  MPI_Win win;
  MPI_Win_create(window_memory, sizeof window_memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CHECK(MPI_M_reset(MPI_M_ALL_MSID) == MPI_SUCCESS);
  CHECK(MPI_M_continue(outer) == MPI_SUCCESS);
  MPI_Win_fence(0, win);
  MPI_Put(value, 4, MPI_INT, next, 0, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get(value, 4, MPI_INT, next, 8, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(MPI_M_suspend(outer) == MPI_SUCCESS);
  CHECK(row_is(outer, MPI_M_OSC_ONLY, size, next, 2, 16));
  CHECK(row_is(outer, MPI_M_USER_ONLY, size, -1, 0, 0));
  MPI_Win_free(&win);
  CHECK(MPI_M_free(MPI_M_ALL_MSID) == MPI_SUCCESS);
  CHECK(MPI_M_finalize() == MPI_SUCCESS);
}

// Collectives as they are defined.
static void logical(void) {
  enum { N = 6 };
  MPI_M_msid msid;
  int data[64 * N] = {0}, more[64 * N] = {0};
  MPI_M_init();
  MPI_M_start(MPI_COMM_WORLD, &msid);
#define LOGICAL(call, messages_to, bytes_to)                                                                       \
  do {                                                                                                             \
    MPI_M_suspend(msid);                                                                                           \
    MPI_M_reset(msid);                                                                                             \
    MPI_M_continue(msid);                                                                                          \
    call;                                                                                                          \
    MPI_M_suspend(msid);                                                                                           \
    Row row = read_row(msid, MPI_M_COLL_ONLY);                                                                     \
    for (int to = 0; to < size; ++to) {                                                                            \
      const int other = to != rank;                                                                                \
      check(row.counts[to] == (unsigned long)(other && (messages_to)), #call ": messages", __LINE__);              \
      check(row.sizes[to] == (unsigned long)(other && (messages_to) ? (bytes_to) : 0), #call ": bytes", __LINE__); \
    }                                                                                                              \
    free_row(row);                                                                                                 \
    CHECK(row_is(msid, MPI_M_USER_ONLY | MPI_M_OSC_ONLY, size, -1, 0, 0));                                         \
    MPI_M_continue(msid);                                                                                          \
  } while (0)
  LOGICAL(MPI_Barrier(MPI_COMM_WORLD), 1, 0);
  LOGICAL(MPI_Bcast(data, 10, MPI_INT, 1, MPI_COMM_WORLD), rank == 1, 40);
  LOGICAL(MPI_Reduce(data, more, 5, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD), to == 1, 20);
  LOGICAL(MPI_Allreduce(data, more, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 1, 20);
  LOGICAL(MPI_Gather(data, 3, MPI_INT, more, 3, MPI_INT, 2, MPI_COMM_WORLD), to == 2, 12);
  LOGICAL(MPI_Scatter(data, 3, MPI_INT, more, 3, MPI_INT, 2, MPI_COMM_WORLD), rank == 2, 12);
  LOGICAL(MPI_Allgather(data, 3, MPI_INT, more, 3, MPI_INT, MPI_COMM_WORLD), 1, 12);
  LOGICAL(MPI_Alltoall(data, 2, MPI_INT, more, 2, MPI_INT, MPI_COMM_WORLD), 1, 8);
  LOGICAL(MPI_Scan(data, more, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), to > rank, 8);
  LOGICAL(MPI_Reduce_scatter_block(data, more, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 1, 8);
  int counts_[64], places[64], by_rank[64];
  for (int i = 0, sum = 0; i < size; ++i) {
    counts_[i] = i + 1;
    by_rank[i] = rank + 1;
    places[i] = sum;
    sum += i + 1;
  }
  int by_place[64];
  for (int i = 0; i < size; ++i) by_place[i] = i * (rank + 1);
  LOGICAL(MPI_Scatterv(data, counts_, places, MPI_INT, more, rank + 1, MPI_INT, 0, MPI_COMM_WORLD), rank == 0,
          4 * (to + 1));
  LOGICAL(MPI_Gatherv(data, rank + 1, MPI_INT, more, counts_, places, MPI_INT, 0, MPI_COMM_WORLD), to == 0,
          4 * (rank + 1));
  LOGICAL(MPI_Allgatherv(data, rank + 1, MPI_INT, more, counts_, places, MPI_INT, MPI_COMM_WORLD), 1, 4 * (rank + 1));
  LOGICAL(MPI_Alltoallv(data, counts_, places, MPI_INT, more, by_rank, by_place, MPI_INT, MPI_COMM_WORLD), 1,
          4 * (to + 1));
  LOGICAL(MPI_Reduce_scatter(data, more, counts_, MPI_INT, MPI_SUM, MPI_COMM_WORLD), to < size, 4 * (to + 1));
  MPI_Request request;
  LOGICAL((MPI_Ibcast(data, 4, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_Wait(&request, MPI_STATUS_IGNORE)), rank == 0,
          16);
  // On a communicator of its own, in another order, that is gone when the counts are read.
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  LOGICAL((MPI_Scan(data, more, 1, MPI_INT, MPI_SUM, reversed), MPI_Comm_free(&reversed)), to < rank, 4);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){0}, 0, &grid);
  LOGICAL(MPI_Neighbor_allgather(data, 1, MPI_INT, more, 1, MPI_INT, grid), to == rank - 1 || to == rank + 1, 4);
  MPI_Comm_free(&grid);
  MPI_M_suspend(msid);
  MPI_M_free(msid);
  MPI_M_finalize();
}

// Messages inside collectives, printed for the test, which knows what this library does.
static void inside(void) {
  MPI_M_msid msid;
  int data[256] = {0};
  MPI_M_init();
  MPI_Bcast(data, 256, MPI_INT, 0, MPI_COMM_WORLD);  // what libraries do on first use
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_M_start(MPI_COMM_WORLD, &msid);
  int visible = -1;
  CHECK(MPI_M_get_visible(msid, &visible) == MPI_SUCCESS);
  for (int i = 0; i < 10; ++i) MPI_Bcast(data, 256, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_M_suspend(msid);
  unsigned long *counts_ = calloc((size_t)size * size, sizeof *counts_),
                *sizes = calloc((size_t)size * size, sizeof *sizes);
  CHECK(row_is(msid, MPI_M_USER_ONLY, size, -1, 0, 0));
  MPI_M_allgather_data(msid, counts_, sizes, MPI_M_P2P_ONLY);
  const int expected = visible == MPI_M_VISIBLE_NONE ? MPI_M_NOT_VISIBLE : MPI_SUCCESS;
  CHECK(MPI_M_get_data(msid, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, MPI_M_INSIDE_ONLY) == expected);
  CHECK(MPI_M_allgather_data(msid, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, MPI_M_INSIDE_ONLY) == expected);
  CHECK(MPI_M_rootgather_data(msid, 0, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, MPI_M_INSIDE_ONLY) == expected);
  CHECK(MPI_M_get_data(msid, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, MPI_M_INSIDE_ONLY | MPI_M_USER_ONLY) == MPI_SUCCESS);
  if (rank == 0) printf("visible %d\n", visible);
  for (int i = 0; rank == 0 && i < size * size; ++i) {
    if (counts_[i] != 0) printf("%d %d %lu %lu\n", i / size, i % size, counts_[i], sizes[i]);
  }
  free(counts_);
  free(sizes);
  MPI_M_free(msid);
  MPI_M_finalize();
}

static void states(void) {
  MPI_M_msid msid = 12345, other;
  int n;
  unsigned long row[64], matrix[64 * 64];
  char name[] = "never-written";
  CHECK(MPI_M_start(MPI_COMM_WORLD, &msid) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_suspend(msid) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_continue(msid) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_reset(msid) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_free(MPI_M_ALL_MSID) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_get_info(msid, &n, &n) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_get_visible(msid, &n) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_get_data(msid, row, row, MPI_M_ALL_COMM) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_allgather_data(msid, matrix, matrix, MPI_M_ALL_COMM) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_rootgather_data(msid, 0, matrix, matrix, MPI_M_ALL_COMM) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_flush(msid, name, MPI_M_ALL_COMM) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_rootflush(msid, 0, name, MPI_M_ALL_COMM) == MPI_M_MISSING_INIT);
  double seconds;
  CHECK(MPI_M_get_comm_time(MPI_COMM_WORLD, "MPI_Bcast", &seconds) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_finalize() == MPI_M_MISSING_INIT);

  CHECK(MPI_M_init() == MPI_SUCCESS);
  CHECK(MPI_M_init() == MPI_M_MULTIPLE_CALL);
  CHECK(MPI_M_suspend(12345) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_suspend(0) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_suspend(-7) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_suspend(MPI_M_ALL_MSID) == MPI_SUCCESS);  // none
  CHECK(MPI_M_start(MPI_COMM_WORLD, NULL) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_start(MPI_COMM_NULL, &msid) == MPI_M_MPIT_FAIL);
  CHECK(MPI_M_start(MPI_COMM_WORLD, &msid) == MPI_SUCCESS);
  CHECK(msid != MPI_M_ALL_MSID);

  // Active.
  CHECK(MPI_M_continue(msid) == MPI_M_MULTIPLE_CALL);
  CHECK(MPI_M_reset(msid) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_free(msid) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_free(MPI_M_ALL_MSID) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_get_data(msid, row, row, MPI_M_ALL_COMM) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_allgather_data(msid, matrix, matrix, MPI_M_ALL_COMM) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_rootgather_data(msid, 0, matrix, matrix, MPI_M_ALL_COMM) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_flush(msid, name, MPI_M_ALL_COMM) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_rootflush(msid, 0, name, MPI_M_ALL_COMM) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_finalize() == MPI_M_SESSION_STILL_ACTIVE);
  int provided = -1, level;
  MPI_Query_thread(&level);
  CHECK(MPI_M_get_info(msid, &provided, &n) == MPI_SUCCESS && provided == level && n == size);
  CHECK(MPI_M_get_info(msid, MPI_M_INT_IGNORE, MPI_M_INT_IGNORE) == MPI_SUCCESS);

  // Suspended.
  CHECK(MPI_M_suspend(msid) == MPI_SUCCESS);
  CHECK(MPI_M_suspend(msid) == MPI_M_MULTIPLE_CALL);
  CHECK(MPI_M_get_data(msid, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE, MPI_M_ALL_COMM) == MPI_SUCCESS);
  CHECK(MPI_M_get_data(msid, row, row, 0) == MPI_M_INVALID_FLAGS);
  CHECK(MPI_M_get_data(msid, row, row, 32) == MPI_M_INVALID_FLAGS);
  CHECK(MPI_M_get_data(MPI_M_ALL_MSID, row, row, MPI_M_ALL_COMM) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_get_info(MPI_M_ALL_MSID, &n, &n) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_flush(MPI_M_ALL_MSID, name, MPI_M_ALL_COMM) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_rootgather_data(msid, size, matrix, matrix, MPI_M_ALL_COMM) == MPI_M_INVALID_ROOT);
  CHECK(MPI_M_rootgather_data(msid, -1, matrix, matrix, MPI_M_ALL_COMM) == MPI_M_INVALID_ROOT);
  CHECK(MPI_M_rootflush(msid, size, name, MPI_M_ALL_COMM) == MPI_M_INVALID_ROOT);
  CHECK(MPI_M_flush(msid, "/nowhere/at/all", MPI_M_ALL_COMM) == MPI_M_INTERNAL_FAIL);
  CHECK(MPI_M_rootflush(msid, 0, "/nowhere/at/all", MPI_M_ALL_COMM) == MPI_M_INTERNAL_FAIL);
  CHECK(MPI_M_rootflush(msid, 1 % size, rank == 1 % size ? NULL : name, MPI_M_ALL_COMM) == MPI_M_INTERNAL_FAIL);
  CHECK(MPI_M_get_visible(MPI_M_ALL_MSID, &n) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_get_visible(12345, &n) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_get_visible(msid, MPI_M_INT_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_M_get_comm_time(MPI_COMM_WORLD, "MPI_Nothing", &seconds) == MPI_M_INVALID_PROCEDURE);
  CHECK(MPI_M_get_comm_time(MPI_COMM_NULL, "MPI_Bcast", &seconds) == MPI_M_MPIT_FAIL);

  // One of two.
  CHECK(MPI_M_start(MPI_COMM_WORLD, &other) == MPI_SUCCESS && other != msid);
  CHECK(MPI_M_reset(MPI_M_ALL_MSID) == MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_suspend(MPI_M_ALL_MSID) == MPI_SUCCESS);
  CHECK(MPI_M_suspend(other) == MPI_M_MULTIPLE_CALL);
  CHECK(MPI_M_free(msid) == MPI_SUCCESS);
  CHECK(MPI_M_free(msid) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_get_data(msid, row, row, MPI_M_ALL_COMM) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_get_data(other, row, row, MPI_M_ALL_COMM) == MPI_SUCCESS);
  CHECK(MPI_M_finalize() == MPI_SUCCESS);  // with a suspended session

  // Once more: what was before is not known.
  CHECK(MPI_M_init() == MPI_SUCCESS);
  CHECK(MPI_M_get_data(other, row, row, MPI_M_ALL_COMM) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_start(MPI_COMM_SELF, &msid) == MPI_SUCCESS);
  CHECK(MPI_M_get_info(msid, MPI_M_INT_IGNORE, &n) == MPI_SUCCESS && n == 1);
  MPI_Comm pair, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &pair);
  MPI_Intercomm_create(pair, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
  CHECK(MPI_M_start(inter, &other) == MPI_M_MPIT_FAIL);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&pair);
  CHECK(MPI_M_suspend(MPI_M_ALL_MSID) == MPI_SUCCESS && MPI_M_free(MPI_M_ALL_MSID) == MPI_SUCCESS);
  CHECK(MPI_M_finalize() == MPI_SUCCESS);
}

// Many sessions at once, and one after the other more communicators with a session than a library has at a time. (They
// are of one process each, because where there are more processes than cores some libraries take long for each.)
static void many(void) {
  enum { SESSIONS = 10000, COMMUNICATORS = 5000 };
  static MPI_M_msid msid[SESSIONS];
  MPI_M_init();
  for (int i = 0; i < SESSIONS; ++i) {
    if (MPI_M_start(MPI_COMM_WORLD, &msid[i]) != MPI_SUCCESS) CHECK(!"a further session");
    if (i % 1000 == 0) ring(MPI_COMM_WORLD, 1, 10);
  }
  CHECK(MPI_M_suspend(MPI_M_ALL_MSID) == MPI_SUCCESS);
  const int next = (rank + 1) % size;
  CHECK(row_is(msid[0], MPI_M_USER_ONLY, size, next, 10, 100));
  CHECK(row_is(msid[1], MPI_M_USER_ONLY, size, next, 9, 90));
  CHECK(row_is(msid[SESSIONS - 1], MPI_M_USER_ONLY, size, -1, 0, 0));
  CHECK(MPI_M_free(MPI_M_ALL_MSID) == MPI_SUCCESS);
  for (int i = 0; i < COMMUNICATORS; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_M_msid one;
    if (MPI_M_start(comm, &one) != MPI_SUCCESS || MPI_M_suspend(one) != MPI_SUCCESS) CHECK(!"its session");
    if (i % 2 == 0) MPI_M_free(one);
    MPI_Comm_free(&comm);
    if (i % 2 == 1) MPI_M_free(one);
  }
  CHECK(MPI_M_finalize() == MPI_SUCCESS);
}

enum { THREADS = 3, ROUNDS = 10 };
static MPI_Comm of_thread[THREADS];

// Each thread has sessions on its own communicator; all see all threads' messages on the world's pairs, so the counts
// are read by a session that only one thread's traffic has: its communicator has another neighbour.
static void *one_thread(void *number) {
  const int t = (int)(long)number;
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_M_msid msid;
    CHECK(MPI_M_start(of_thread[t], &msid) == MPI_SUCCESS);
    ring(of_thread[t], 2, 10 + t);
    CHECK(MPI_M_suspend(msid) == MPI_SUCCESS);
    Row row = read_row(msid, MPI_M_USER_ONLY);
    CHECK(row.counts[(rank + 1) % size] >= 2 && row.sizes[(rank + 1) % size] >= 2UL * (10 + t));
    free_row(row);
    unsigned long matrix[64 * 64];
    CHECK(MPI_M_allgather_data(msid, matrix, MPI_M_DATA_IGNORE, MPI_M_USER_ONLY) == MPI_SUCCESS);
    CHECK(MPI_M_free(msid) == MPI_SUCCESS);
    CHECK(MPI_M_free(msid) == MPI_M_INVALID_MSID);
  }
  return NULL;
}

static void threads(void) {
  pthread_t thread[THREADS];
  MPI_M_msid all;
  for (int t = 0; t < THREADS; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[t]);
  CHECK(MPI_M_init() == MPI_SUCCESS);
  CHECK(MPI_M_start(MPI_COMM_WORLD, &all) == MPI_SUCCESS);
  for (long t = 0; t < THREADS; ++t) pthread_create(&thread[t], NULL, one_thread, (void *)t);
  for (int t = 0; t < THREADS; ++t) pthread_join(thread[t], NULL);
  CHECK(MPI_M_suspend(all) == MPI_SUCCESS);
  CHECK(row_is(all, MPI_M_USER_ONLY, size, (rank + 1) % size, 2UL * ROUNDS * THREADS, 2UL * ROUNDS * (10 + 11 + 12)));
  CHECK(MPI_M_finalize() == MPI_SUCCESS);
  for (int t = 0; t < THREADS; ++t) MPI_Comm_free(&of_thread[t]);
}

static void files(const char *prefix) {
  MPI_M_msid msid;
  MPI_M_init();
  MPI_M_start(MPI_COMM_WORLD, &msid);
  ring(MPI_COMM_WORLD, 2, 100);
  MPI_M_suspend(msid);
  CHECK(MPI_M_flush(msid, prefix, MPI_M_USER_ONLY) == MPI_SUCCESS);
  CHECK(MPI_M_rootflush(msid, 1, prefix, MPI_M_USER_ONLY) == MPI_SUCCESS);
  MPI_M_free(msid);
  MPI_M_finalize();
}

// Where messages inside collectives are missing.
static void warnings(const char *prefix) {
  MPI_M_msid msid;
  MPI_M_init();
  MPI_M_start(MPI_COMM_WORLD, &msid);
  MPI_M_suspend(msid);
  CHECK(MPI_M_flush(msid, prefix, MPI_M_P2P_ONLY) == MPI_SUCCESS);
  CHECK(MPI_M_rootflush(msid, 0, prefix, MPI_M_P2P_ONLY) == MPI_SUCCESS);
  MPI_M_free(msid);
  // No process is alone with what can't be seen: it sends itself nothing.
  int visible = -1;
  MPI_M_start(MPI_COMM_SELF, &msid);
  CHECK(MPI_M_get_visible(msid, &visible) == MPI_SUCCESS && visible == MPI_M_VISIBLE_ALL);
  MPI_M_suspend(msid);
  MPI_M_free(msid);
  MPI_M_finalize();
}

// Without a session.
static void so_far(void) {
  MPI_Comm comm;
  int data[100] = {0}, sum[100];
  double bcast, all, everything, none;
  unsigned long calls, sent, received, puts_before;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(MPI_M_init() == MPI_SUCCESS);
  CHECK(MPI_M_get_comm_data(MPI_COMM_WORLD, "MPI_Put", &puts_before, &sent, &received) == MPI_SUCCESS);
  for (int i = 0; i < 3; ++i) MPI_Bcast(data, 100, MPI_INT, 0, comm);
  if (rank == 0) usleep(50000);
  MPI_Allreduce(data, sum, 10, MPI_INT, MPI_SUM, comm);
  ring(comm, 1, 10);
  CHECK(MPI_M_get_comm_data(comm, "MPI_Bcast", &calls, &sent, &received) == MPI_SUCCESS);
  CHECK(calls == 3 && sent == (rank == 0 ? 1200UL * (size - 1) : 0) && received == 0);
  CHECK(MPI_M_get_comm_data(comm, "MPI_Sendrecv", &calls, &sent, &received) == MPI_SUCCESS);
  CHECK(calls == 1 && sent == 10 && received == 10);
  CHECK(MPI_M_get_comm_data(comm, MPI_M_ALL_COLLECTIVES, &calls, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE) == MPI_SUCCESS);
  CHECK(calls == 4);
  CHECK(MPI_M_get_comm_data(comm, MPI_M_ALL_PROCEDURES, &calls, &sent, &received) == MPI_SUCCESS);
  CHECK(calls == 5);
  CHECK(MPI_M_get_comm_time(comm, "MPI_Bcast", &bcast) == MPI_SUCCESS);
  CHECK(MPI_M_get_comm_time(comm, MPI_M_ALL_COLLECTIVES, &all) == MPI_SUCCESS);
  CHECK(MPI_M_get_comm_time(comm, MPI_M_ALL_PROCEDURES, &everything) == MPI_SUCCESS);
  CHECK(MPI_M_get_comm_time(comm, "MPI_Gather", &none) == MPI_SUCCESS);
  CHECK(none == 0 && bcast > 0 && all > bcast && everything > all);
  if (rank != 0) CHECK(all > 0.02 && all < 50);  // they waited for rank 0
  // Windows are apart in a profile, but here they are their communicators'.
  MPI_Win win;
  MPI_Win_create(sum, sizeof sum, sizeof(int), MPI_INFO_NULL, comm, &win);
  MPI_Win_fence(0, win);
  MPI_Put(data, 7, MPI_INT, (rank + 1) % size, 0, 7, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  CHECK(MPI_M_get_comm_data(comm, "MPI_Put", &calls, &sent, &received) == MPI_SUCCESS);
  CHECK(calls == 1 && sent == 7 * sizeof(int) && received == 0);
  CHECK(MPI_M_get_comm_data(comm, MPI_M_ALL_PROCEDURES, &calls, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE) == MPI_SUCCESS);
  CHECK(calls == 10);
  CHECK(MPI_M_get_comm_data(MPI_COMM_WORLD, "MPI_Put", &calls, &sent, &received) == MPI_SUCCESS);
  CHECK(calls == puts_before);
  // So are files.
  MPI_Comm own;
  MPI_File file;
  char path[64];
  snprintf(path, sizeof path, "/tmp/rankwise-so-far.%d", (int)getpid());
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_File_open(own, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 0, data, 11, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  CHECK(MPI_M_get_comm_data(own, "MPI_File_write_at", &calls, &sent, &received) == MPI_SUCCESS);
  CHECK(calls == 1 && sent == 11 * sizeof(int) && received == 0);
  CHECK(MPI_M_get_comm_data(own, MPI_M_ALL_PROCEDURES, &calls, MPI_M_DATA_IGNORE, MPI_M_DATA_IGNORE) == MPI_SUCCESS);
  CHECK(calls == 3);
  MPI_Comm_free(&own);
  CHECK(MPI_M_finalize() == MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int provided;
  if (strcmp(what, "closed") == 0) {
    CHECK(MPI_M_init() == MPI_M_MPIT_FAIL);
    MPI_Init(&argc, &argv);
    CHECK(MPI_M_init() == MPI_SUCCESS);
    MPI_Finalize();  // without MPI_M_finalize
    CHECK(MPI_M_finalize() == MPI_M_MISSING_INIT);
    CHECK(MPI_M_init() == MPI_M_MPIT_FAIL);
    return wrong;
  }
  // (Not for all: in Open MPI 4.1 one-sided communication does not work with it.)
  MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc; ++i) {
    what = argv[i];
    if (strcmp(what, "counts") == 0) counts();
    if (strcmp(what, "logical") == 0) logical();
    if (strcmp(what, "inside") == 0) inside();
    if (strcmp(what, "states") == 0) states();
    if (strcmp(what, "many") == 0) many();
    if (strcmp(what, "threads") == 0 && provided == MPI_THREAD_MULTIPLE) threads();
    if (strcmp(what, "files") == 0) files(argv[++i]);
    if (strcmp(what, "warnings") == 0) warnings(argv[++i]);
    if (strcmp(what, "so_far") == 0) so_far();
  }
  MPI_Finalize();
  return wrong;
}
