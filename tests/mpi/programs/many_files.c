// More files than Rankwise keeps apart in a process, each written once, in the directory that is the first argument.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  char path[4096];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < atoi(argv[2]); i++) {
    MPI_File file;
    // Long names, of which only the end is kept.
    snprintf(path, sizeof path, "%s/%0250d", argv[1], i);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write(file, "ten bytes.", 10, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_Finalize();
  return 0;
}
