// Files that are to be told apart, in the directory that is the first argument. tests/mpi/test_named_files.py knows
// each name, count and byte.
//
//   named_files DIR         files on several communicators, some opened twice
//   named_files DIR rows    a file after so many rows of calls that it gets none of its own
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 256, STEPS = 10, REGIONS = 4000, SIZES = 18, CREATED = MPI_MODE_CREATE | MPI_MODE_RDWR };

static int rank;
static const char *directory;
static char data[ROOM];
static char large[1 << SIZES];

static MPI_File opened(MPI_Comm comm, const char *name, int mode) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  MPI_File_open(comm, path, mode, MPI_INFO_NULL, &file);
  return file;
}

static void put(MPI_File file, int bytes) { MPI_File_write_at(file, 0, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE); }

// W_f1: "shared", open twice at a time; W_f2: "second"; W_f3: "shared", to be read. Closed in another order.
static void shared(void) {
  MPI_File first = opened(MPI_COMM_WORLD, "shared", CREATED);
  MPI_File second = opened(MPI_COMM_WORLD, "second", CREATED);
  MPI_File again = opened(MPI_COMM_WORLD, "shared", CREATED);
  put(first, 10 + rank);
  put(second, 5);
  put(again, 20);
  MPI_File_close(&first);
  put(again, 1);
  MPI_File_sync(again);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File read = opened(MPI_COMM_WORLD, "shared", MPI_MODE_RDONLY);
  MPI_File_read_at_all(read, 0, data, 4, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&again);
  MPI_File_close(&second);
  MPI_File_close(&read);
}

// W_s1.0_f1 and W_s1.1_f1, each after its communicator was freed.
static void parts(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  MPI_File file = opened(comm, rank % 2 ? "odd" : "even", CREATED);
  MPI_Comm_free(&comm);
  put(file, 7);
  MPI_File_close(&file);
}

// W_d2_f1 ... W_d2_f10: number i gets i bytes from everybody.
static void steps(void) {
  char name[32];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 1; i <= STEPS; i++) {
    snprintf(name, sizeof name, "step%d", i);
    MPI_File file = opened(comm, name, CREATED);
    put(file, i);
    MPI_File_close(&file);
  }
  MPI_Comm_free(&comm);
}

// S.0_f1, S.1_f1, ...: only the odd ranks open a second one.
static void own(void) {
  char name[32];
  for (int i = 1; i <= 1 + rank % 2; i++) {
    MPI_Request request;
    snprintf(name, sizeof name, "own%d.%d", rank, i);
    MPI_File file = opened(MPI_COMM_SELF, name, CREATED);
    MPI_File_iwrite_at(file, 0, data, 3, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
}

static void rows(void) {
  char name[32];
  for (int i = 0; i < REGIONS; i++) {
    snprintf(name, sizeof name, "region %d", i);
    MPI_Pcontrol(1, name);
    for (int size = 0; size < SIZES; size++) MPI_Bcast(large, 1 << size, MPI_BYTE, 0, MPI_COMM_SELF);
    MPI_Pcontrol(-1, name);
  }
  MPI_File file = opened(MPI_COMM_WORLD, "late", CREATED);
  put(file, 9);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  directory = argv[1];
  if (argc > 2 && strcmp(argv[2], "rows") == 0) {
    rows();
  } else {
    shared();
    parts();
    steps();
    own();
  }
  MPI_Finalize();
  return 0;
}
