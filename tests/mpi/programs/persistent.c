// Persistent point-to-point requests: rank 0 sends to rank 1 on MPI_COMM_WORLD (W) and a duplicate (D). How often rank
// 1 had to ask is up to the machine, so it prints "PROCEDURE CALLS". tests/mpi/test_persistent.py has the sizes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 300, ROOM = 1000, ROUNDS = 5, BUFFERED = 8, BUFFERED_BYTES = 16384 };

static char data[ROOM];
static char room[MANY][ROOM];
static MPI_Request requests[MANY];
static MPI_Status statuses[MANY];
static MPI_Comm W, D;
static int rank, failures;

static void check(int is, int should, const char *what) {
  if (is == should) return;
  if (failures++ < 9) fprintf(stderr, "%s: %d, not %d\n", what, is, should);
}

static void check_status(const MPI_Status *status, int bytes, const char *what) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  check(count, bytes, what);
}

// Rank 1 lets rank 0 go on.
static void go(void) {
  if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 77, W, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(NULL, 0, MPI_BYTE, 0, 77, W);
  }
}

static void free_all(int n) {
  for (int i = 0; i < n; i++) {
    MPI_Request_free(&requests[i]);
    check(requests[i] == MPI_REQUEST_NULL, 1, "Request_free");
  }
}

// Every mode, started together, over two communicators, in a region of their own.
static void modes(void) {
  static char buffer[ROUNDS * (400 + MPI_BSEND_OVERHEAD)];
  if (rank == 0) {
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Send_init(data, 100, MPI_BYTE, 1, 1, W, &requests[0]);
    MPI_Ssend_init(data, 50, MPI_INT, 1, 2, D, &requests[1]);
    MPI_Rsend_init(data, 300, MPI_BYTE, 1, 3, D, &requests[2]);
    MPI_Bsend_init(data, 400, MPI_BYTE, 1, 4, D, &requests[3]);
  } else {
    for (int i = 0; i < 4; i++) {
      MPI_Recv_init(room[i], ROOM, MPI_BYTE, 0, 1 + i, i ? D : W, &requests[i]);
    }
  }
  MPI_Pcontrol(1, "loop");
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Request before[4];
    memcpy(before, requests, sizeof before);
    if (rank == 0) go();
    MPI_Startall(4, requests);
    if (rank == 1) go();
    MPI_Waitall(4, requests, round % 2 ? statuses : MPI_STATUSES_IGNORE);
    check(memcmp(before, requests, sizeof before), 0, "the handles stay");
    for (int i = 0; i < 4 && rank == 1 && round % 2; i++) check_status(&statuses[i], 100 * (i + 1), "Waitall");
  }
  MPI_Pcontrol(-1, "loop");
  free_all(4);
  if (rank == 0) {
    void *address;
    int size;
    MPI_Buffer_detach(&address, &size);
  }
}

// One started alone, waited for once too often, and asked for when it is not active.
static void alone(void) {
  int flag;
  if (rank == 0) {
    MPI_Send_init(data, 500, MPI_BYTE, 1, 10, D, &requests[0]);
    go();
  } else {
    MPI_Recv_init(room[0], ROOM, MPI_BYTE, 0, 10, D, &requests[0]);
  }
  MPI_Start(&requests[0]);
  if (rank == 1) {
    int calls = 1;
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    check(flag, 0, "Test");
    go();
    for (; !flag; calls++) MPI_Test(&requests[0], &flag, &statuses[0]);
    printf("MPI_Test %d\n", calls);
    check_status(&statuses[0], 500, "Test");
  } else {
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Wait(&requests[0], &statuses[0]);
  check_status(&statuses[0], 0, "Wait for an inactive one");
  MPI_Request_get_status(requests[0], &flag, &statuses[0]);
  check(flag, 1, "Request_get_status of an inactive one");
  free_all(1);
}

static void nobody(void) {
  MPI_Send_init(data, 600, MPI_BYTE, MPI_PROC_NULL, 20, D, &requests[0]);
  MPI_Recv_init(room[0], 600, MPI_BYTE, MPI_PROC_NULL, 20, D, &requests[1]);
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  free_all(2);
}

// Completed one by one: what is inactive belongs to no communicator any more.
static void waitany(void) {
  int index;
  if (rank == 0) {
    go();
    MPI_Send(data, 31, MPI_BYTE, 1, 31, D);
    go();
    MPI_Send(data, 30, MPI_BYTE, 1, 30, W);
    return;
  }
  for (int i = 0; i < 2; i++) MPI_Recv_init(room[i], ROOM, MPI_BYTE, 0, 30 + i, i ? D : W, &requests[i]);
  MPI_Startall(2, requests);
  for (int i = 1; i >= 0; i--) {
    go();
    MPI_Waitany(2, requests, &index, &statuses[0]);
    check(index, i, "Waitany");
    check_status(&statuses[0], 30 + i, "Waitany");
  }
  MPI_Waitany(2, requests, &index, &statuses[0]);
  check(index, MPI_UNDEFINED, "Waitany of inactive ones");
  free_all(2);
}

static void many(void) {
  int count, done, calls = 0, indices[MANY];
  for (int i = 0; i < MANY; i++) {
    if (rank == 0) MPI_Send_init(data, i, MPI_BYTE, 1, 40 + i, D, &requests[i]);
    if (rank == 1) MPI_Recv_init(room[i], ROOM, MPI_BYTE, 0, 40 + i, D, &requests[i]);
  }
  for (int round = 0; round < 2; round++) {
    MPI_Startall(MANY, requests);
    if (rank == 0) {
      MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
      continue;
    }
    for (done = 0; done < MANY; done += count, calls++) {
      MPI_Waitsome(MANY, requests, &count, indices, statuses);
      for (int i = 0; i < count; i++) check_status(&statuses[i], indices[i], "Waitsome");
    }
  }
  if (rank == 1) printf("MPI_Waitsome %d\n", calls);
  free_all(MANY);
}

// A receive that is cancelled, then started again; requests that are freed while they are active.
static void endings(void) {
  int flag;
  if (rank == 0) {
    go();
    MPI_Send(data, 70, MPI_BYTE, 1, 50, D);
    MPI_Send_init(data, 80, MPI_BYTE, 1, 51, D, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Request_free(&requests[0]);
    go();
    memset(data, 1, 90);
    MPI_Send(data, 90, MPI_BYTE, 1, 52, D);
    go();
    return;
  }
  MPI_Recv_init(room[0], ROOM, MPI_BYTE, 0, 50, D, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &statuses[0]);
  MPI_Test_cancelled(&statuses[0], &flag);
  check(flag, 1, "Cancel");
  MPI_Start(&requests[0]);
  go();
  MPI_Wait(&requests[0], &statuses[0]);
  check_status(&statuses[0], 70, "Wait after Cancel");
  MPI_Request_free(&requests[0]);
  MPI_Recv(room[0], ROOM, MPI_BYTE, 0, 51, D, MPI_STATUS_IGNORE);

  volatile char *last = &room[0][89];
  *last = 0;
  MPI_Recv_init(room[0], ROOM, MPI_BYTE, 0, 52, D, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Request_free(&requests[0]);
  go();
  while (*last == 0) MPI_Iprobe(MPI_ANY_SOURCE, 99, W, &flag, MPI_STATUS_IGNORE);
  go();
}

// The second of three messages is sent and received in a pause.
static void pauses(void) {
  if (rank == 0) MPI_Send_init(data, 8, MPI_BYTE, 1, 60, W, &requests[0]);
  if (rank == 1) MPI_Recv_init(room[0], ROOM, MPI_BYTE, 0, 60, W, &requests[0]);
  for (int round = 0; round < 3; round++) {
    if (round == 1) MPI_Pcontrol(0);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (round == 1) MPI_Pcontrol(1, "");
  }
  free_all(1);
}

// Started again while the message before is still under way: Open MPI then goes on with another handle.
static void buffered(void) {
  static char buffer[BUFFERED * 3 * (BUFFERED_BYTES + MPI_BSEND_OVERHEAD)];
  static char large[BUFFERED_BYTES];
  MPI_Comm one, two;
  MPI_Comm_dup(W, &one);
  MPI_Comm_dup(W, &two);
  if (rank == 0) {
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend_init(large, BUFFERED_BYTES, MPI_BYTE, 1, 0, one, &requests[0]);
    MPI_Bsend_init(large, BUFFERED_BYTES, MPI_BYTE, 1, 1, two, &requests[1]);
    for (int i = 0; i < BUFFERED; i++) {
      MPI_Start(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Startall(2, requests);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(one);
  if (rank == 0) {
    void *address;
    int size;
    free_all(2);
    MPI_Buffer_detach(&address, &size);
  } else {
    for (int i = 0; i < 2 * BUFFERED; i++) MPI_Recv(large, BUFFERED_BYTES, MPI_BYTE, 0, 0, one, MPI_STATUS_IGNORE);
    for (int i = 0; i < BUFFERED; i++) MPI_Recv(large, BUFFERED_BYTES, MPI_BYTE, 0, 1, two, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  W = MPI_COMM_WORLD;
  MPI_Comm_rank(W, &rank);
  MPI_Comm_dup(W, &D);
  if (argc > 1 && strcmp(argv[1], "pause") == 0) {
    pauses();
  } else {
    modes();
    alone();
    nobody();
    waitany();
    many();
    endings();
    buffered();
  }
  MPI_Barrier(W);
  MPI_Comm_free(&D);
  MPI_Finalize();
  return failures != 0;
}
