// MPI_Send, MPI_Recv and MPI_Wait. With `yields` they let others have the processor while they wait: where ranks share
// one, a partner that cannot run would else be waited for until the kernel takes the processor away.
#pragma once

#include <mpi.h>
#include <stdbool.h>

void blocking_send(const void *message, int size, int partner, int tag, bool yields);
void blocking_receive(void *message, int size, int partner, int tag, bool yields, MPI_Status *status);
void blocking_wait(MPI_Request *request, bool yields, MPI_Status *status);
