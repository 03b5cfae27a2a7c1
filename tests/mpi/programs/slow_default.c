// Preloaded behind Rankwise's library, in front of the MPI library: makes it one whose own choice is bad for
// MPI_Alltoall, and whose other algorithms are bad for MPI_Bcast, by a millisecond a call.
//
// The library's own choice is in force on the program's communicator where algorithms are chosen by communicators (Open
// MPI), and while the variable has its first value where they are chosen by variables (MPICH).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <time.h>

static void take_long(void) {
  struct timespec while_asleep = {0, 1000000};
  nanosleep(&while_asleep, NULL);
}

static int is_own_choice(const char *variable, MPI_Comm comm) {
#ifdef OPEN_MPI
  (void)variable;
  return comm == dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");  // it is preloaded into programs without MPI, too
#else
  int index, count, value = 0, provided;
  MPI_T_cvar_handle handle;
  (void)comm;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_cvar_get_index(variable, &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
    MPI_T_cvar_read(handle, &value);
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return value == 0;
#endif
}

int PMPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  static int (*real)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Alltoall");
  if (is_own_choice("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", comm)) take_long();
  return real(send, send_count, send_type, receive, count, type, comm);
}

int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  static int (*real)(void *, int, MPI_Datatype, int, MPI_Comm);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Bcast");
  if (!is_own_choice("MPIR_CVAR_BCAST_INTRA_ALGORITHM", comm)) take_long();
  return real(buffer, count, type, root, comm);
}
