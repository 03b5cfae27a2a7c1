#include "blocking.h"

#include <sched.h>

void blocking_wait(MPI_Request *request, bool yields, MPI_Status *status) {
  if (!yields) {
    MPI_Wait(request, status);
    return;
  }
  for (int done = 0;;) {
    MPI_Test(request, &done, status);
    if (done) return;
    sched_yield();
  }
}

void blocking_send(const void *message, int size, int partner, int tag, bool yields) {
  if (!yields) {
    MPI_Send(message, size, MPI_BYTE, partner, tag, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request;
  MPI_Isend(message, size, MPI_BYTE, partner, tag, MPI_COMM_WORLD, &request);
  blocking_wait(&request, yields, MPI_STATUS_IGNORE);
}

void blocking_receive(void *message, int size, int partner, int tag, bool yields, MPI_Status *status) {
  if (!yields) {
    MPI_Recv(message, size, MPI_BYTE, partner, tag, MPI_COMM_WORLD, status);
    return;
  }
  MPI_Request request;
  MPI_Irecv(message, size, MPI_BYTE, partner, tag, MPI_COMM_WORLD, &request);
  blocking_wait(&request, yields, status);
}
