// MPI_Send, MPI_Recv and MPI_Wait. With `yields` they yield the processor while they wait: if ranks share one, they
// would otherwise wait for a partner that cannot run until the kernel preempts them.
#pragma once

#include <mpi.h>
#include <stdbool.h>

void blocking_send(const void *message, int size, int partner, int tag, bool yields);
void blocking_receive(void *message, int size, int partner, int tag, bool yields, MPI_Status *status);
void blocking_wait(MPI_Request *request, bool yields, MPI_Status *status);
