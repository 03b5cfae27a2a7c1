/* As much of MPI as library.c has, with the ABI of MPICH. */
#ifndef MPI_H
#define MPI_H

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Group;
typedef int MPI_Op;
typedef long long MPI_Count;

#define MPI_COMM_WORLD ((MPI_Comm)0x44000000)
#define MPI_GROUP_EMPTY ((MPI_Group)0x48000000)
#define MPI_BYTE ((MPI_Datatype)0x4c00010d)
#define MPI_INT ((MPI_Datatype)0x4c000405)
#define MPI_SUM ((MPI_Op)0x58000003)
#define MPI_ERR_OTHER 15
#define MPI_THREAD_SINGLE 0

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int destination, int tag, MPI_Comm comm);
int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

#endif
