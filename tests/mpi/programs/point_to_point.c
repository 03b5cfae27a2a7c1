// Every way to send and receive, between ranks 0 and 1 of a world of 3; rank 2 only takes part in MPI_Init and
// MPI_Finalize. tests/mpi/test_point_to_point.py knows each count and byte.
#include <mpi.h>
#include <stdlib.h>

static char data[100000];
static char room[100000];

static void blocking(int rank) {
  if (rank == 0) {
    char *buffer = malloc(10000 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(buffer, 10000 + MPI_BSEND_OVERHEAD);
    for (int i = 0; i < 7; i++) MPI_Send(data, 100 * i, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Bsend(data, 30, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Ssend(data, 5, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
    MPI_Rsend(data, 11, MPI_SHORT, 1, 4, MPI_COMM_WORLD);
    int bytes;
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
  } else {
    // The room is larger than what comes: what counts is what comes.
    for (int i = 0; i < 7; i++) MPI_Recv(room, 99999, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Status status;
    MPI_Recv(room, 9999, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
    MPI_Recv(room, 5, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(room, 999, MPI_SHORT, 0, 4, MPI_COMM_WORLD, &status);
  }
}

// Every second column of a 10 x 20 matrix of doubles: 10 x 10 doubles in one element.
static void derived(int rank) {
  MPI_Datatype columns;
  MPI_Type_vector(100, 1, 2, MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  if (rank == 0) {
    MPI_Send(data, 1, columns, 1, 5, MPI_COMM_WORLD);
    MPI_Send(data, 3, columns, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(room, 800, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(room, 4, columns, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&columns);
}

static void nobody(void) {
  MPI_Request request;
  MPI_Status status;
  MPI_Send(data, 600, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(room, 600, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  MPI_Isend(data, 600, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  MPI_Irecv(room, 600, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void nonblocking(int rank) {
  MPI_Request requests[20];
  if (rank == 0) {
    char *buffer = malloc(1000 + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(buffer, 1000 + MPI_BSEND_OVERHEAD);
    for (int i = 0; i < 10; i++) MPI_Isend(data, 1000 + i, MPI_BYTE, 1, 6, MPI_COMM_WORLD, &requests[i]);
    MPI_Ibsend(data, 8, MPI_BYTE, 1, 6, MPI_COMM_WORLD, &requests[10]);
    MPI_Issend(data, 80000, MPI_BYTE, 1, 6, MPI_COMM_WORLD, &requests[11]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irsend(data, 3, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &requests[12]);
    MPI_Waitall(13, requests, MPI_STATUSES_IGNORE);
    int bytes;
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
  } else {
    MPI_Irecv(room, 5, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &requests[12]);
    for (int i = 0; i < 12; i++) {
      MPI_Irecv(room, i == 11 ? 90000 : 2000, MPI_BYTE, 0, 6, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Waitall(13, requests, MPI_STATUSES_IGNORE);
  }
}

static void exchanges(int rank) {
  const int other = 1 - rank;
  const int mine = rank == 0 ? 500 : 50;
  MPI_Sendrecv(data, mine, MPI_BYTE, other, 8, room, 1000, MPI_BYTE, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(data, 60, MPI_INT, other, 9, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(data, mine, MPI_BYTE, MPI_PROC_NULL, 8, room, 1000, MPI_BYTE, MPI_PROC_NULL, 8, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void probes(int rank) {
  if (rank == 0) {
    for (int i = 0; i < 4; i++) MPI_Send(data, 10 + i, MPI_BYTE, 1, 10 + i, MPI_COMM_WORLD);
  } else {
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    MPI_Probe(0, 10, MPI_COMM_WORLD, &status);
    MPI_Recv(room, 100, MPI_BYTE, 0, 10, MPI_COMM_WORLD, &status);
    while (!flag) MPI_Iprobe(0, 11, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(room, 100, MPI_BYTE, 0, 11, MPI_COMM_WORLD, &status);
    MPI_Mprobe(0, 12, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(room, 100, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Improbe(0, 13, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(room, 100, MPI_BYTE, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank < 2) {
    blocking(rank);
    derived(rank);
    nobody();
  }
  if (rank == 2) MPI_Barrier(MPI_COMM_WORLD);
  if (rank < 2) {
    nonblocking(rank);
    exchanges(rank);
    probes(rank);
  }
  MPI_Finalize();
  return 0;
}
