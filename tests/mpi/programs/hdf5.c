// Writes HDF5 files collectively, and reads them: the argument is the path. In the first dataset, rank r has every
// size-th column, from column r on; in the second one, it has row r. Each half of the ranks then writes another file.
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 24, turns = 16 };

static void check(int fine, const char *what) {
  if (fine) return;
  fprintf(stderr, "%s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static hid_t opened(const char *path, MPI_Comm comm, int is_new) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, comm, MPI_INFO_NULL);
  hid_t file = is_new ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  check(file >= 0, "the file can't be opened");
  return file;
}

// One hyperslab of a two-dimensional dataset, collectively.
static void transfer(hid_t set, const hsize_t *start, const hsize_t *stride, const hsize_t *count, int *data,
                     int writes) {
  hid_t space = H5Dget_space(set), memory = H5Screate_simple(2, count, NULL), how = H5Pcreate(H5P_DATASET_XFER);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
  H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE);
  herr_t error = writes ? H5Dwrite(set, H5T_NATIVE_INT, memory, space, how, data)
                        : H5Dread(set, H5T_NATIVE_INT, memory, space, how, data);
  check(error >= 0, "transfer");
  H5Pclose(how);
  H5Sclose(memory);
  H5Sclose(space);
}

static hid_t dataset(hid_t file, const char *name, hsize_t height, hsize_t width) {
  hsize_t size[2] = {height, width};
  hid_t space = H5Screate_simple(2, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(how, 0);  // or two files would differ
  hid_t set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, how, H5P_DEFAULT);
  check(set >= 0, "dataset");
  H5Pclose(how);
  H5Sclose(space);
  return set;
}

// Columns rank, rank + size, ... of all rows.
static void columns(hid_t set, int rank, int size, int *data, int writes) {
  hsize_t start[2] = {0, rank}, stride[2] = {1, size}, count[2] = {rows, turns};
  transfer(set, start, stride, count, data, writes);
}

static void row(hid_t set, int rank, int *data, int writes) {
  hsize_t start[2] = {rank, 0}, stride[2] = {1, 1}, count[2] = {1, turns};
  transfer(set, start, stride, count, data, writes);
}

static void fill(int *data, int count, int first) {
  for (int i = 0; i < count; i++) data[i] = first + i;
}

static void is_filled(const int *data, int count, int first) {
  for (int i = 0; i < count; i++) check(data[i] == first + i, "the data differ from the written data");
}

int main(int argc, char **argv) {
  static int data[rows * turns];
  int rank, size, place;
  char path[1000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hid_t file = opened(argv[1], MPI_COMM_WORLD, 1);
  hid_t shared = dataset(file, "columns", rows, (hsize_t)turns * size), by_rank = dataset(file, "by rank", size, turns);
  fill(data, rows * turns, 1000 * rank);
  columns(shared, rank, size, data, 1);
  row(by_rank, rank, data, 1);
  H5Dclose(shared);
  H5Dclose(by_rank);
  H5Fclose(file);

  // Read what the next rank has written.
  int next = (rank + 1) % size;
  file = opened(argv[1], MPI_COMM_WORLD, 0);
  shared = H5Dopen2(file, "columns", H5P_DEFAULT);
  by_rank = H5Dopen2(file, "by rank", H5P_DEFAULT);
  columns(shared, next, size, data, 0);
  is_filled(data, rows * turns, 1000 * next);
  row(by_rank, next, data, 0);
  is_filled(data, turns, 1000 * next);
  H5Dclose(shared);
  H5Dclose(by_rank);
  H5Fclose(file);

  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_rank(half, &place);
  snprintf(path, sizeof path, "%s.%d", argv[1], rank % 2);
  file = opened(path, half, 1);
  by_rank = dataset(file, "by rank", size, turns);
  fill(data, turns, 1000 * rank);
  row(by_rank, place, data, 1);
  H5Dclose(by_rank);
  H5Fclose(file);
  MPI_Comm_free(&half);
  MPI_Finalize();
  if (rank == 0) puts("written and read");
  return 0;
}
