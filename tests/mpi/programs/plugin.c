// A plugin that is loaded when MPI is long initialised. It calls what only newer libraries have, if this one has it:
// such calls reach Rankwise by the relocations of the object that makes them.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HAS_ISENDRECV 1
#elif MPI_VERSION >= 4
#define HAS_ISENDRECV 1
#define HAS_LARGE_COUNT 1
#endif

void plugin(void) {
  char buffer[100] = {0}, other[100];
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast(buffer, 10, MPI_CHAR, 0, MPI_COMM_WORLD);
#ifdef HAS_ISENDRECV
  MPI_Request request;
  MPI_Isendrecv(buffer, 20, MPI_CHAR, (rank + 1) % size, 0, other, 20, MPI_CHAR, (rank + size - 1) % size, 0,
                MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
  (void)other;
#endif
#ifdef HAS_LARGE_COUNT
  MPI_Bcast_c(buffer, 30, MPI_CHAR, 0, MPI_COMM_WORLD);
#endif
}

// Tells the program, which need not ask.
__attribute__((constructor)) static void tell(void) {
  void *place = NULL;
  const char *text = getenv("PLACE_FOR_PLUGIN");
  if (text != NULL && sscanf(text, "%p", &place) == 1) *(void (**)(void))place = plugin;
}
