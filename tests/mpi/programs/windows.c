// Windows that are to be told apart. tests/mpi/test_windows.py knows each name, count, byte and pair.
//
//   windows            what goes over each of several windows, made in several ways
//   windows many N     N windows on MPI_COMM_SELF, one after the other
//   windows rows N     N windows on MPI_COMM_WORLD, and messages of many kinds over each
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64, LOOP = 10 };

static int rank, size;
static int data[ROOM], taken[ROOM], memory[ROOM];

static MPI_Win create(MPI_Comm comm) {
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &win);
  return win;
}

// W_w1, called "halo": 10 ints to the right.
static void halo(void) {
  const int right = (rank + 1) % size;
  MPI_Win win = create(MPI_COMM_WORLD);
  MPI_Win_set_name(win, "halo");
  MPI_Win_fence(0, win);
  MPI_Put(data, 10, MPI_INT, right, 0, 10, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

// W_w2, called "table": 5 ints from rank 0, three times, and one back. It lives while others come and go.
static MPI_Win table_begins(void) {
  int *own;
  MPI_Win win;
  MPI_Win_allocate(ROOM * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
  MPI_Win_set_name(win, "table");
  return win;
}

static void table_ends(MPI_Win win) {
  MPI_Request request;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  for (int i = 0; i < 3; i++) MPI_Get(taken, 5, MPI_INT, 0, 0, 5, MPI_INT, win);
  MPI_Win_flush(0, win);
  MPI_Rput(data, 1, MPI_INT, 0, 10 + rank, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

// W_d1_w1 ... W_d1_w10: window i gets i ints at rank 0, from everybody. The communicator is not freed: Open MPI 4.1 may
// mix up the windows of two communicators of which one has got the number of the other.
static void loop(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 1; i <= LOOP; i++) {
    MPI_Win win = create(comm);
    MPI_Win_fence(0, win);
    MPI_Accumulate(data, i, MPI_INT, 0, 0, i, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
  }
}

// On the even and on the odd ranks: W_s2.0_w1 and W_s2.1_w1. 7 ints to the first of them.
static void parts(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  MPI_Win win = create(comm);
  MPI_Win_fence(0, win);
  MPI_Put(data, 7, MPI_INT, 0, 0, 7, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

// S.0_w1, S.1_w1, ...: 3 ints to oneself. Only the odd ranks make a second one.
static void own(void) {
  for (int i = 0; i < 1 + rank % 2; i++) {
    MPI_Win win = create(MPI_COMM_SELF);
    MPI_Win_fence(0, win);
    MPI_Put(data, 3, MPI_INT, 0, 0, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
  }
}

static void many(int windows) {
  for (int i = 0; i < windows; i++) {
    MPI_Win win = create(MPI_COMM_SELF);
    MPI_Win_fence(0, win);
    MPI_Put(data, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
  }
}

static void rows(int windows) {
  const int one = 1;
  for (int i = 0; i < windows; i++) {
    MPI_Win win = create(MPI_COMM_WORLD);
    for (int to = 0; to < size; to++) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win);
      MPI_Put(data, 1, MPI_INT, to, 0, 1, MPI_INT, win);
      MPI_Get(taken, 1, MPI_INT, to, 1, 1, MPI_INT, win);
      MPI_Accumulate(data, 1, MPI_INT, to, 2, 1, MPI_INT, MPI_SUM, win);
      MPI_Get_accumulate(data, 1, MPI_INT, taken + 1, 1, MPI_INT, to, 3, 1, MPI_INT, MPI_SUM, win);
      MPI_Fetch_and_op(&one, taken + 2, MPI_INT, to, 4, MPI_SUM, win);
      MPI_Compare_and_swap(&one, data, taken + 3, MPI_INT, to, 5, win);
      MPI_Win_unlock(to, win);
    }
    MPI_Win_free(&win);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *what = argc > 2 ? argv[1] : "";
  if (strcmp(what, "many") == 0) {
    many(atoi(argv[2]));
  } else if (strcmp(what, "rows") == 0) {
    rows(atoi(argv[2]));
  } else {
    halo();
    MPI_Win table = table_begins();
    loop();
    parts();
    own();
    table_ends(table);
  }
  MPI_Finalize();
  return 0;
}
