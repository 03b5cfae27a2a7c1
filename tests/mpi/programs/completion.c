// Every way to complete requests. Rank 0 sends to rank 1 on MPI_COMM_WORLD (W) and a duplicate (D). Where it matters
// which request completes first, rank 1 allows each send by an empty message. How often rank 1 had to ask with the
// test calls is up to the machine, so it counts itself and prints "PROCEDURE ON CALLS".
// tests/mpi/test_completion.py has the sizes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 300, ROOM = 1000 };

static char data[ROOM];
static char room[MANY][ROOM];
static MPI_Request requests[MANY];
static MPI_Status statuses[MANY];
static int indices[MANY];
static MPI_Comm W, D;
static int rank, failures;

static void check(int is, int should, const char *what) {
  if (is == should) return;
  if (failures++ < 9) fprintf(stderr, "%s: %d, not %d\n", what, is, should);
}

static void check_status(const MPI_Status *status, int bytes, int tag, const char *what) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  check(count, bytes, what);
  check(status->MPI_TAG, tag, what);
  check(status->MPI_SOURCE, 0, what);
}

// Rank 1 lets rank 0 go on.
static void go(void) {
  if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 77, W, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(NULL, 0, MPI_BYTE, 0, 77, W);
  }
}

static void send(int bytes, int tag, MPI_Comm comm) { MPI_Send(data, bytes, MPI_BYTE, 1, tag, comm); }

static void receive(int i, int tag, MPI_Comm comm) { MPI_Irecv(room[i], ROOM, MPI_BYTE, 0, tag, comm, &requests[i]); }

static void waits(void) {
  if (rank == 0) {
    for (int i = 0; i < 2; i++) send(100 + i, 1, D);
    return;
  }
  receive(0, 1, D);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  receive(0, 1, D);
  MPI_Wait(&requests[0], &statuses[0]);
  check_status(&statuses[0], 101, 1, "Wait");
  MPI_Wait(&requests[0], &statuses[0]);  // null by now
  check(statuses[0].MPI_SOURCE, MPI_ANY_SOURCE, "Wait for nothing");
}

// Five on D, then two on each with a null request between, then nothing at all; then MANY on D, MANY on both.
static void waitalls(void) {
  if (rank == 0) {
    for (int i = 0; i < 5; i++) send(200 + i, 2, D);
    for (int i = 0; i < 4; i++) send(10 + i, 2, i % 2 ? D : W);
    for (int i = 0; i < MANY; i++) send(i, 3, D);
    for (int i = 0; i < MANY; i++) send(2 * i, 3, i % 2 ? D : W);
    return;
  }
  for (int i = 0; i < 5; i++) receive(i, 2, D);
  MPI_Waitall(5, requests, statuses);
  for (int i = 0; i < 5; i++) check_status(&statuses[i], 200 + i, 2, "Waitall");
  for (int i = 0; i < 4; i++) receive(i, 2, i % 2 ? D : W);
  requests[4] = requests[2];
  requests[2] = MPI_REQUEST_NULL;
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 5; i++) check(requests[i] == MPI_REQUEST_NULL, 1, "Waitall sets null");
  MPI_Waitall(5, requests, statuses);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);

  for (int i = 0; i < MANY; i++) receive(i, 3, D);
  MPI_Waitall(MANY, requests, statuses);
  for (int i = 0; i < MANY; i++) check_status(&statuses[i], i, 3, "Waitall of many");
  for (int i = 0; i < MANY; i++) receive(i, 3, i % 2 ? D : W);
  MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
}

static void waitanys(void) {
  int index;
  if (rank == 0) {
    for (int i = 0; i < 4; i++) send(300 + i, 10 + i, D);
    send(50, 14, D);
    go();
    send(60, 15, W);
    return;
  }
  for (int i = 0; i < 4; i++) receive(i, 10 + i, D);
  for (int i = 0; i < 4; i++) {
    MPI_Waitany(4, requests, &index, &statuses[0]);
    check_status(&statuses[0], 300 + index, 10 + index, "Waitany");
  }
  MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
  check(index, MPI_UNDEFINED, "Waitany of nothing");
  // The one on D can be the first only; what is left then is on W.
  receive(0, 15, W);
  receive(1, 14, D);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  check(index, 1, "Waitany of two communicators");
  go();
  MPI_Waitany(2, requests, &index, &statuses[0]);
  check_status(&statuses[0], 60, 15, "Waitany of the last");
}

static void waitsomes(void) {
  int count;
  if (rank == 0) {
    for (int i = 0; i < 4; i++) {
      go();
      send(400 + i, 20 + i, D);
    }
    for (int i = 0; i < MANY; i++) send(i + 1, 24, D);
    return;
  }
  for (int i = 0; i < 4; i++) receive(i, 20 + i, D);
  for (int i = 0; i < 4; i++) {
    go();
    MPI_Waitsome(4, requests, &count, indices, statuses);
    check(count, 1, "Waitsome");
    check(indices[0], i, "Waitsome");
    check_status(&statuses[0], 400 + i, 20 + i, "Waitsome");
  }
  MPI_Waitsome(4, requests, &count, indices, MPI_STATUSES_IGNORE);
  check(count, MPI_UNDEFINED, "Waitsome of nothing");

  for (int i = 0; i < MANY; i++) receive(i, 24, D);
  int calls = 0;
  for (int done = 0; done < MANY; done += count, calls++) {
    MPI_Waitsome(MANY, requests, &count, indices, MPI_STATUSES_IGNORE);
  }
  printf("MPI_Waitsome D %d\n", calls);
}

static void tests(void) {
  int flag, index, count, calls;
  if (rank == 0) {
    go();
    send(500, 30, D);
    go();
    for (int i = 0; i < 3; i++) send(510 + i, 31, D);
    go();
    send(520, 32, D);
    send(521, 32, W);
    go();
    for (int i = 0; i < 4; i++) send(530 + i, 33, D);
    go();
    for (int i = 0; i < 12; i++) send(540 + i, 34, D);
    return;
  }
  receive(0, 30, D);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);  // too early for sure
  check(flag, 0, "Test");
  go();
  for (calls = 1; !flag; calls++) MPI_Test(&requests[0], &flag, &statuses[0]);
  check_status(&statuses[0], 500, 30, "Test");
  printf("MPI_Test D %d\n", calls);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  check(flag, 1, "Test of nothing");

  for (int i = 0; i < 3; i++) receive(i, 31, D);
  MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
  check(flag, 0, "Testall");
  go();
  for (calls = 1; !flag; calls++) MPI_Testall(3, requests, &flag, statuses);
  for (int i = 0; i < 3; i++) check_status(&statuses[i], 510 + i, 31, "Testall");
  printf("MPI_Testall D %d\n", calls);
  receive(0, 32, D);
  receive(1, 32, W);
  go();
  for (calls = 0, flag = 0; !flag; calls++) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  printf("MPI_Testall (several) %d\n", calls);
  MPI_Testall(2, requests, &flag, statuses);
  check(flag, 1, "Testall of nothing");

  for (int i = 0; i < 4; i++) receive(i, 33, D);
  MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
  check(flag, 0, "Testany");
  go();
  calls = 1;
  for (int done = 0; done < 4; calls++) {
    MPI_Testany(4, requests, &index, &flag, &statuses[0]);
    if (flag) check_status(&statuses[0], 530 + index, 33, "Testany");
    done += flag;
  }
  printf("MPI_Testany D %d\n", calls);
  MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
  check(flag && index == MPI_UNDEFINED, 1, "Testany of nothing");

  // More requests than there is room for without an allocation.
  for (int i = 0; i < 12; i++) receive(i, 34, D);
  MPI_Testsome(12, requests, &count, indices, MPI_STATUSES_IGNORE);
  check(count, 0, "Testsome");
  go();
  calls = 1;
  for (int done = 0; done < 12; calls++) {
    MPI_Testsome(12, requests, &count, indices, statuses);
    for (int i = 0; i < count; i++) check_status(&statuses[i], 540 + indices[i], 34, "Testsome");
    done += count;
  }
  printf("MPI_Testsome D %d\n", calls);
  MPI_Testsome(12, requests, &count, indices, MPI_STATUSES_IGNORE);
  check(count, MPI_UNDEFINED, "Testsome of nothing");
}

// Small sends complete at once, and libraries then give all of them one handle: also on different communicators.
static void sends(void) {
  if (rank == 1) {
    for (int i = 0; i < 20; i++) MPI_Recv(room[0], ROOM, MPI_BYTE, 0, 40, i % 2 ? D : W, MPI_STATUS_IGNORE);
    for (int i = 0; i < 11; i++) MPI_Recv(room[0], ROOM, MPI_BYTE, 0, 41, i % 2 ? D : W, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8; i++) MPI_Recv(room[0], ROOM, MPI_BYTE, 0, 42, D, MPI_STATUS_IGNORE);
    return;
  }
  for (int i = 0; i < 20; i++) MPI_Isend(data, 1, MPI_BYTE, 1, 40, i % 2 ? D : W, &requests[i]);
  for (int i = 0; i < 20; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (int i = 0; i < 11; i++) MPI_Isend(data, 2, MPI_BYTE, 1, 41, i % 2 ? D : W, &requests[i]);
  MPI_Waitall(11, requests, MPI_STATUSES_IGNORE);
  // What was before must leave nothing behind.
  for (int i = 0; i < 8; i++) MPI_Isend(data, 3, MPI_BYTE, 1, 42, D, &requests[i]);
  MPI_Waitall(8, requests, statuses);
}

static void frees(void) {
  if (rank == 0) {
    go();
    memset(data, 1, 64);
    send(64, 50, D);
    go();
    memset(data, 0, 64);
    MPI_Isend(data, 65, MPI_BYTE, 1, 51, D, &requests[0]);
    MPI_Request_free(&requests[0]);
    go();
    return;
  }
  volatile char *last = &room[0][63];
  *last = 0;
  receive(0, 50, D);
  MPI_Request_free(&requests[0]);
  check(requests[0] == MPI_REQUEST_NULL, 1, "Request_free");
  go();
  int flag;
  while (*last == 0) MPI_Iprobe(MPI_ANY_SOURCE, 99, W, &flag, MPI_STATUS_IGNORE);
  go();
  MPI_Recv(room[1], ROOM, MPI_BYTE, 0, 51, D, MPI_STATUS_IGNORE);
  go();
}

static void get_status(void) {
  if (rank == 0) {
    go();
    send(66, 52, D);
    return;
  }
  int flag;
  receive(0, 52, D);
  MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  check(flag, 0, "Request_get_status");
  go();
  int calls = 1;
  for (; !flag; calls++) MPI_Request_get_status(requests[0], &flag, &statuses[0]);
  check_status(&statuses[0], 66, 52, "Request_get_status");
  printf("MPI_Request_get_status D %d\n", calls);
  MPI_Wait(&requests[0], &statuses[0]);  // only now is it booked
  check_status(&statuses[0], 66, 52, "Wait after Request_get_status");
  MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  check(flag, 1, "Request_get_status of nothing");
}

static void cancel(void) {
  if (rank == 0) return;
  int flag;
  receive(0, 60, D);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &statuses[0]);
  MPI_Test_cancelled(&statuses[0], &flag);
  check(flag, 1, "Cancel");
  receive(0, 60, D);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  W = MPI_COMM_WORLD;
  MPI_Comm_rank(W, &rank);
  MPI_Comm_dup(W, &D);
  for (int i = 0; i < MANY; i++) requests[i] = MPI_REQUEST_NULL;
  waits();
  waitalls();
  waitanys();
  waitsomes();
  tests();
  sends();
  frees();
  get_status();
  cancel();
  MPI_Barrier(W);
  MPI_Comm_free(&D);
  MPI_Finalize();
  return failures != 0;
}
