// One-sided communication between 4 processes, each part on a communicator of its own. tests/mpi/test_one_sided.py
// knows each count, byte and pair. Says on stderr what arrived wrong, and then ends with status 1.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4, ROOM = 200, WINDOWS = 2000, ROUNDS = 3 };

static int rank, wrong;
static int data[ROOM];   // 1, 2, 3, ...
static int taken[ROOM];  // what was fetched
static int *memory;      // of the window

static void expect(const char *what, int value, int expected) {
  if (value == expected) return;
  fprintf(stderr, "rank %d: %s is %d, not %d\n", rank, what, value, expected);
  wrong = 1;
}

// Not freed before the end: Open MPI 4.1 may mix up the windows of two communicators of which one has got the number
// of the other.
static MPI_Comm duplicate(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

static MPI_Win allocate(MPI_Comm comm) {
  MPI_Win win;
  MPI_Win_allocate(ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &win);
  for (int i = 0; i < ROOM; i++) memory[i] = 0;
  MPI_Barrier(comm);
  return win;
}

// On W_d1: MPI_Win_create and fences. Everybody puts to the right, gets from the right, adds at rank 0.
static void fence(void) {
  MPI_Comm comm = duplicate();
  int own[ROOM] = {0};
  const int right = (rank + 1) % SIZE;
  MPI_Win win;
  MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, comm, &win);
  MPI_Datatype pairs;  // 5 pairs of neighbours, 4 apart: 40 bytes
  MPI_Type_vector(5, 2, 4, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(data, 10 * (rank + 1), MPI_INT, right, 0, 10 * (rank + 1), MPI_INT, win);
  MPI_Put(data, 1, pairs, right, 50, 10, MPI_INT, win);
  MPI_Put(data, 0, MPI_INT, right, 0, 0, MPI_INT, win);
  MPI_Put(data, 50, MPI_INT, MPI_PROC_NULL, 0, 50, MPI_INT, win);
  MPI_Accumulate(data, 3, MPI_INT, 0, 100, 3, MPI_INT, MPI_SUM, win);
  MPI_Accumulate(data, 3, MPI_INT, MPI_PROC_NULL, 100, 3, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  expect("what the left put", own[9], 10);
  expect("the first pair", own[50], 1);
  expect("the second pair", own[52], 5);
  expect("the sum", own[101], rank == 0 ? 2 * SIZE : 0);
  MPI_Get(taken, 6 + rank, MPI_INT, right, 0, 6 + rank, MPI_INT, win);
  MPI_Get(taken, 50, MPI_INT, MPI_PROC_NULL, 0, 50, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  expect("what was got", taken[5], 6);
  MPI_Type_free(&pairs);
  MPI_Win_free(&win);
}

// On W_d2: 0 puts to 1, which waits, and 2 to 3, which tests, 3 times.
static void post_start_complete_wait(void) {
  MPI_Comm comm = duplicate();
  MPI_Win win = allocate(comm);
  const int partner = rank ^ 1;
  MPI_Group all, other;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 1, &partner, &other);
  for (int round = 0; round < ROUNDS; round++) {
    if (rank % 2 == 0) {
      MPI_Win_start(other, 0, win);
      MPI_Put(data, 4, MPI_INT, partner, 0, 4, MPI_INT, win);
      MPI_Win_complete(win);
    } else {
      MPI_Win_post(other, 0, win);
      int done = rank == 1;
      if (done) MPI_Win_wait(win);
      while (!done) MPI_Win_test(win, &done);
      expect("what was put", memory[3], 4);
    }
  }
  MPI_Group_free(&other);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
}

// On W_d3: everybody locks rank 3, in turn, for one operation of each kind that fetches.
static void lock(void) {
  MPI_Comm comm = duplicate();
  MPI_Win win = allocate(comm);
  const int one = 1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 3, 0, win);
  MPI_Fetch_and_op(&one, taken, MPI_INT, 3, 0, MPI_SUM, win);
  MPI_Fetch_and_op(NULL, taken, MPI_INT, 3, 0, MPI_NO_OP, win);
  MPI_Fetch_and_op(&one, taken, MPI_INT, MPI_PROC_NULL, 0, MPI_SUM, win);
  MPI_Win_flush(3, win);
  MPI_Get_accumulate(data, 5, MPI_INT, taken, 5, MPI_INT, 3, 10, 5, MPI_INT, MPI_SUM, win);
  MPI_Win_flush_local(3, win);
  MPI_Get_accumulate(NULL, 0, MPI_INT, taken, 7, MPI_INT, 3, 10, 7, MPI_INT, MPI_NO_OP, win);
  MPI_Get_accumulate(data, 5, MPI_INT, taken, 5, MPI_INT, MPI_PROC_NULL, 10, 5, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(3, win);
  MPI_Win_unlock(3, win);
  MPI_Barrier(comm);
  MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, win);
  MPI_Get(taken, 12, MPI_INT, 3, 0, 12, MPI_INT, win);
  MPI_Win_unlock(3, win);
  expect("the count", taken[0], SIZE);
  expect("the sum", taken[11], 2 * SIZE);
  MPI_Win_free(&win);
}

// On W_d4: requests, inside MPI_Win_lock_all.
static void requests(void) {
  MPI_Comm comm = duplicate();
  MPI_Win win = allocate(comm);
  const int right = (rank + 1) % SIZE;
  MPI_Request request[2];
  MPI_Status status[2];
  MPI_Win_lock_all(0, win);
  MPI_Rput(data, 20, MPI_INT, right, 0, 20, MPI_INT, win, &request[0]);
  MPI_Raccumulate(data, 8, MPI_INT, right, 50, 8, MPI_INT, MPI_SUM, win, &request[1]);
  MPI_Waitall(2, request, status);
  MPI_Win_flush_all(win);
  MPI_Rget(taken, 9, MPI_INT, right, 0, 9, MPI_INT, win, &request[0]);
  MPI_Rget(taken, 9, MPI_INT, MPI_PROC_NULL, 0, 9, MPI_INT, win, &request[1]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  MPI_Wait(&request[1], MPI_STATUS_IGNORE);
  expect("what was got", taken[8], 9);
  MPI_Rget_accumulate(data, 6, MPI_INT, taken, 6, MPI_INT, right, 50, 6, MPI_INT, MPI_SUM, win, &request[0]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  expect("what was there", taken[5], 6);
  MPI_Rget_accumulate(NULL, 0, MPI_INT, taken, 4, MPI_INT, right, 50, 4, MPI_INT, MPI_NO_OP, win, &request[0]);
  MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// On the two parts of a split, W_s5.2 and W_s5.3, whose ranks are not the world's, and which are freed before their
// windows are used: world rank 2 puts to 0, and 3 to 1; both get from themselves.
static void split(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  MPI_Win win = allocate(comm);
  MPI_Comm_free(&comm);
  MPI_Win_fence(0, win);
  if (rank >= 2) {
    MPI_Put(data, 11, MPI_INT, 1, 0, 11, MPI_INT, win);
    MPI_Get(taken, 2, MPI_INT, 0, 100, 2, MPI_INT, win);
  }
  MPI_Win_fence(0, win);
  expect("what was put", memory[10], rank < 2 ? 11 : 0);
  MPI_Win_free(&win);
}

// On W_d6: memory that is attached later.
static void dynamic(void) {
  MPI_Comm comm = duplicate();
  MPI_Win win;
  int own[ROOM] = {0};
  MPI_Aint address, everywhere[SIZE];
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
  MPI_Win_attach(win, own, sizeof own);
  MPI_Get_address(own, &address);
  MPI_Allgather(&address, 1, MPI_AINT, everywhere, 1, MPI_AINT, comm);
  const int right = (rank + 1) % SIZE;
  MPI_Win_fence(0, win);
  MPI_Put(data, 16, MPI_INT, right, everywhere[right], 16, MPI_INT, win);
  MPI_Win_fence(0, win);
  expect("what was put", own[15], 16);
  MPI_Win_detach(win, own);
  MPI_Win_free(&win);
}

// On W_t7.0: memory of the node. What goes by load and store is no message.
static void shared(void) {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int *own, *first;
  MPI_Win win;
  MPI_Win_allocate_shared(ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &own, &win);
  MPI_Aint size;
  int unit;
  MPI_Win_shared_query(win, 0, &size, &unit, &first);
  for (int i = 0; i < ROOM; i++) own[i] = 0;
  MPI_Win_fence(0, win);
  first[rank] = rank + 1;
  MPI_Put(data, 2, MPI_INT, 0, 100 + 2 * rank, 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  expect("what was stored", first[SIZE - 1], SIZE);
  expect("what was put", first[100 + 2 * (SIZE - 1)], 1);
  MPI_Win_free(&win);
}

// On MPI_COMM_SELF: handles that come and go.
static void many(void) {
  int own[ROOM] = {0};
  for (int i = 0; i < WINDOWS; i++) {
    MPI_Win win;
    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_fence(0, win);
    MPI_Put(data, i % 10, MPI_INT, 0, 0, i % 10, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
  }
  expect("what was put", own[8], 9);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < ROOM; i++) data[i] = i + 1;
  fence();
  post_start_complete_wait();
  lock();
  requests();
  split();
  dynamic();
  shared();
  many();
  MPI_Finalize();
  return wrong;
}
