// What a program can do with requests beside waiting for them: generalised requests, MPI_Cancel, buffers of sends,
// asking for the status of several, exchanges with nobody, a hundred thousand at once. Rank 0 sends to rank 1 on a
// duplicate of MPI_COMM_WORLD (D). tests/mpi/test_other_requests.py has the numbers.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1000, LOTS = 100000 };

static char data[ROOM], room[ROOM];
static MPI_Comm D;
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

// Fills the status in; an MPI call of its own, made inside of MPI_Wait.
static int query(void *state, MPI_Status *status) {
  int size;
  MPI_Comm_size(D, &size);
  MPI_Status_set_elements(status, MPI_BYTE, *(int *)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 0;
  status->MPI_TAG = 0;
  return MPI_SUCCESS;
}
static int release(void *state) {
  *(int *)state = -1;
  return MPI_SUCCESS;
}
static int cancel(void *state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

static void generalised(void) {
  int states[2] = {123, 45};
  MPI_Request requests[2];
  MPI_Status status;
  for (int i = 0; i < 2; i++) {
    MPI_Grequest_start(query, release, cancel, &states[i], &requests[i]);
    MPI_Grequest_complete(requests[i]);
  }
  MPI_Wait(&requests[0], &status);
  check_status(&status, 123, "generalised request");
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  check(states[0] + states[1], -2, "generalised requests are freed");
}

// A duplicate of its own for a receive that nobody serves.
static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int flag;
  MPI_Irecv(room, ROOM, MPI_BYTE, MPI_ANY_SOURCE, 1, D, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  check(flag, 1, "Cancel");
}

static void buffered(void) {
  if (rank == 0) {
    static char buffer[2 * (300 + MPI_BSEND_OVERHEAD)];
    void *address;
    int size;
    MPI_Request request;
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(data, 300, MPI_BYTE, 1, 2, D);
    MPI_Ibsend(data, 200, MPI_BYTE, 1, 2, D, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&address, &size);
    check(address == buffer && size == sizeof buffer, 1, "Buffer_detach");
  } else {
    for (int i = 0; i < 2; i++) MPI_Recv(room, ROOM, MPI_BYTE, 0, 2, D, MPI_STATUS_IGNORE);
  }
}

// Buffers of a communicator, and flushing: MPI 4.1.
static void flushed(void) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  if (rank == 0) {
    static char buffer[300 + MPI_BSEND_OVERHEAD];
    void *address;
    int size;
    MPI_Request request;
    MPI_Comm_attach_buffer(D, buffer, sizeof buffer);
    MPI_Bsend(data, 100, MPI_BYTE, 1, 3, D);
    MPI_Comm_flush_buffer(D);
    MPI_Comm_iflush_buffer(D, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(D, &address, &size);
    puts("flushed");
  } else {
    MPI_Recv(room, ROOM, MPI_BYTE, 0, 3, D, MPI_STATUS_IGNORE);
  }
#endif
}

// The status of several, without completing them: MPI 4.1.
static void asked(void) {
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int flag, index, count, indices[3];
  for (int i = 0; i < 3; i++) {
    if (rank == 0) MPI_Isend(data, 10 + i, MPI_BYTE, 1, 4 + i, D, &requests[i]);
    if (rank == 1) MPI_Irecv(room, ROOM, MPI_BYTE, 0, 4 + i, D, &requests[i]);
  }
  int calls = 0;
  for (flag = 0; !flag; calls++) MPI_Request_get_status_all(3, requests, &flag, statuses);
  if (rank == 1) check_status(&statuses[2], 12, "Request_get_status_all");
  MPI_Request_get_status_any(3, requests, &index, &flag, &statuses[0]);
  check(flag, 1, "Request_get_status_any");
  MPI_Request_get_status_some(3, requests, &count, indices, statuses);
  check(count, 3, "Request_get_status_some");
  MPI_Waitall(3, requests, statuses);
  if (rank == 1) printf("MPI_Request_get_status_all %d\n", calls);
#endif
}

// Sends without a receive from anybody, and the other way round.
static void exchanges(void) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  MPI_Request request;
  const int to = rank == 0 ? 1 : MPI_PROC_NULL, from = rank == 1 ? 0 : MPI_PROC_NULL;
  MPI_Isendrecv(data, 20, MPI_BYTE, to, 8, room, ROOM, MPI_BYTE, from, 8, D, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isendrecv_replace(room, 21, MPI_BYTE, to, 9, from, 9, D, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) puts("exchanged");
#endif
}

// With each other, with room for more than comes.
static void exchanges_both_ways(void) {
#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5
  MPI_Request requests[2];
  MPI_Isendrecv(data, 20 + rank, MPI_BYTE, 1 - rank, 8, room, 100, MPI_BYTE, 1 - rank, 8, D, &requests[0]);
  MPI_Isendrecv_replace(room + 100, 30, MPI_BYTE, 1 - rank, 9, 1 - rank, 9, D, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (rank == 0) puts("exchanged");
#endif
}

// As many receives at once as nobody should post, completed in no order.
static void lots(void) {
  MPI_Request *requests = malloc(LOTS * sizeof *requests);
  if (rank == 0) {
    MPI_Recv(room, 0, MPI_BYTE, 1, 11, D, MPI_STATUS_IGNORE);
    for (int i = 0; i < LOTS; i++) MPI_Send(data, i % 7, MPI_BYTE, 1, 10, D);
  } else {
    for (int i = 0; i < LOTS; i++) MPI_Irecv(room, 7, MPI_BYTE, 0, 10, D, &requests[i]);
    MPI_Send(room, 0, MPI_BYTE, 0, 11, D);
    for (int i = 1; i < LOTS; i += 2) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Waitall(LOTS, requests, MPI_STATUSES_IGNORE);
  }
  free(requests);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &D);
  if (argc > 1 && strcmp(argv[1], "lots") == 0) {
    lots();
  } else if (argc > 1 && strcmp(argv[1], "exchange") == 0) {
    exchanges_both_ways();
  } else {
    generalised();
    cancelled();
    buffered();
    flushed();
    asked();
    exchanges();
  }
  MPI_Barrier(D);
  MPI_Comm_free(&D);
  MPI_Finalize();
  return failures != 0;
}
