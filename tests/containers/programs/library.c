/* An MPI library for one process, which sends nothing. No MPI library is packaged for musl where the tests run. */
#include <string.h>

#include "mpi.h"

/* A function under both of its names. */
#define BOTH(name, parameters, ...) \
  int PMPI_##name parameters {      \
    __VA_ARGS__;                    \
    return 0;                       \
  }                                 \
  int MPI_##name parameters __attribute__((alias("PMPI_" #name)));

BOTH(Init, (int *argc, char ***argv), (void)argc, (void)argv)
BOTH(Finalize, (void), (void)0)
BOTH(Send, (const void *buffer, int count, MPI_Datatype datatype, int destination, int tag, MPI_Comm comm),
     (void)buffer, (void)count, (void)datatype, (void)destination, (void)tag, (void)comm)
BOTH(Allreduce, (const void *from, void *to, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
     memcpy(to, from, (size_t)count * sizeof(int)), (void)datatype, (void)op, (void)comm)
BOTH(Comm_rank, (MPI_Comm comm, int *rank), (void)comm, *rank = 0)
BOTH(Comm_size, (MPI_Comm comm, int *size), (void)comm, *size = 1)
BOTH(Comm_test_inter, (MPI_Comm comm, int *flag), (void)comm, *flag = 0)
BOTH(Comm_group, (MPI_Comm comm, MPI_Group *group), (void)comm, *group = MPI_GROUP_EMPTY)
BOTH(Group_free, (MPI_Group * group), (void)group)
BOTH(Group_size, (MPI_Group group, int *size), (void)group, *size = 1)
BOTH(Group_rank, (MPI_Group group, int *rank), (void)group, *rank = 0)
BOTH(Group_translate_ranks, (MPI_Group group, int count, const int *ranks, MPI_Group other, int *translated),
     (void)group, (void)other, memcpy(translated, ranks, (size_t)count * sizeof *ranks))
BOTH(Get_library_version, (char *version, int *length), strcpy(version, "one process"), *length = 11)
BOTH(Query_thread, (int *provided), *provided = MPI_THREAD_SINGLE)
BOTH(Type_size_x, (MPI_Datatype datatype, MPI_Count *size), *size = (datatype >> 8) & 255)

/* What must be there and is not used. */
#define ABSENT(name) \
  int PMPI_##name(void) { return MPI_ERR_OTHER; }
ABSENT(Cart_get)
ABSENT(Cart_shift)
ABSENT(Cartdim_get)
ABSENT(Comm_get_parent)
ABSENT(Comm_remote_group)
ABSENT(Comm_remote_size)
ABSENT(Dist_graph_neighbors)
ABSENT(Dist_graph_neighbors_count)
ABSENT(Graph_neighbors)
ABSENT(Graph_neighbors_count)
ABSENT(Op_commutative)
ABSENT(Topo_test)
ABSENT(Win_get_group)
