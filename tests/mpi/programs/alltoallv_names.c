// To be preloaded: rank 0 of a communicator says which algorithm of MPI_Alltoallv Open MPI has chosen there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

typedef int Algorithm(const void *, const int *, const int *, MPI_Datatype, void *, const int *, const int *,
                      MPI_Datatype, MPI_Comm, void *);

static void say(const char *name, MPI_Comm comm) {
  int rank, size;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  if (rank == 0) fprintf(stderr, "alltoallv of %d: %s\n", size, name);
}

#define WATCH(name)                                                                                                   \
  int ompi_coll_base_alltoallv_intra_##name(const void *out, const int *counts, const int *places, MPI_Datatype type, \
                                            void *in, const int *their_counts, const int *their_places,               \
                                            MPI_Datatype their_type, MPI_Comm comm, void *module) {                   \
    Algorithm *real = (Algorithm *)dlsym(RTLD_NEXT, "ompi_coll_base_alltoallv_intra_" #name);                         \
    say(#name, comm);                                                                                                 \
    return real(out, counts, places, type, in, their_counts, their_places, their_type, comm, module);                 \
  }

WATCH(basic_linear)
WATCH(pairwise)
