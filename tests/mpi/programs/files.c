// MPI-IO between 3 processes, in the directory that is the first argument. tests/mpi/test_files.py knows each count and
// byte. What a status says is checked here, and results are printed: they are the same with and without Rankwise.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE = 1 << 16, SHORT = 100, MANY = 300, AT_ONCE = 100 };

static char data[RANGE];
static char room[RANGE];
static const char *directory;
static int rank, failures;

static void check(long is, long should, const char *what) {
  if (is == should) return;
  if (failures++ < 20) fprintf(stderr, "rank %d: %s: %ld, not %ld\n", rank, what, is, should);
}

// Whatever a status held before, a library must fill it in.
static void soil(MPI_Status *status) { memset(status, 0x55, sizeof *status); }

static void check_status(MPI_Status *status, int bytes, const char *what) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  check(count, bytes, what);
}

static MPI_File opened(MPI_Comm comm, const char *name, int mode) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  check(MPI_File_open(comm, path, mode, MPI_INFO_NULL, &file), MPI_SUCCESS, name);
  return file;
}

// Each form twice: with a status, and with an ignored one for twice as many bytes.
#define BLOCKING(bytes, ...)                         \
  do {                                               \
    const int n = (bytes) + rank;                    \
    MPI_Status s;                                    \
    soil(&s);                                        \
    MPI_Status *status = &s;                         \
    int count = n;                                   \
    check((__VA_ARGS__), MPI_SUCCESS, #__VA_ARGS__); \
    check_status(&s, n, #__VA_ARGS__);               \
    status = MPI_STATUS_IGNORE;                      \
    count = 2 * n;                                   \
    check((__VA_ARGS__), MPI_SUCCESS, #__VA_ARGS__); \
  } while (0)

#define NONBLOCKING(bytes, ...)                      \
  do {                                               \
    const int n = (bytes) + rank;                    \
    MPI_Status s;                                    \
    soil(&s);                                        \
    MPI_Request requests[2];                         \
    MPI_Request *request = &requests[0];             \
    int count = n;                                   \
    check((__VA_ARGS__), MPI_SUCCESS, #__VA_ARGS__); \
    MPI_Wait(request, &s);                           \
    check_status(&s, n, #__VA_ARGS__);               \
    count = 2 * n;                                   \
    check((__VA_ARGS__), MPI_SUCCESS, #__VA_ARGS__); \
    requests[1] = MPI_REQUEST_NULL;                  \
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);   \
  } while (0)

#define SPLIT(bytes, begin, end)         \
  do {                                   \
    const int n = (bytes) + rank;        \
    MPI_Status s;                        \
    soil(&s);                            \
    MPI_Status *status = &s;             \
    int count = n;                       \
    check((begin), MPI_SUCCESS, #begin); \
    check((end), MPI_SUCCESS, #end);     \
    check_status(&s, n, #end);           \
    status = MPI_STATUS_IGNORE;          \
    count = 2 * n;                       \
    check((begin), MPI_SUCCESS, #begin); \
    check((end), MPI_SUCCESS, #end);     \
  } while (0)

static void every_write(MPI_File f) {
  const MPI_Offset own = rank * (RANGE / 4);
  MPI_File_seek(f, own, MPI_SEEK_SET);
  BLOCKING(100, MPI_File_write(f, data, count, MPI_BYTE, status));
  BLOCKING(110, MPI_File_write_at(f, own, data, count, MPI_BYTE, status));
  BLOCKING(120, MPI_File_write_all(f, data, count, MPI_BYTE, status));
  BLOCKING(130, MPI_File_write_at_all(f, own, data, count, MPI_BYTE, status));
  BLOCKING(140, MPI_File_write_shared(f, data, count, MPI_BYTE, status));
  BLOCKING(150, MPI_File_write_ordered(f, data, count, MPI_BYTE, status));
  NONBLOCKING(160, MPI_File_iwrite(f, data, count, MPI_BYTE, request));
  NONBLOCKING(170, MPI_File_iwrite_at(f, own, data, count, MPI_BYTE, request));
  NONBLOCKING(180, MPI_File_iwrite_all(f, data, count, MPI_BYTE, request));
  NONBLOCKING(190, MPI_File_iwrite_at_all(f, own, data, count, MPI_BYTE, request));
  NONBLOCKING(200, MPI_File_iwrite_shared(f, data, count, MPI_BYTE, request));
  SPLIT(210, MPI_File_write_all_begin(f, data, count, MPI_BYTE), MPI_File_write_all_end(f, data, status));
  SPLIT(220, MPI_File_write_at_all_begin(f, own, data, count, MPI_BYTE), MPI_File_write_at_all_end(f, data, status));
  SPLIT(230, MPI_File_write_ordered_begin(f, data, count, MPI_BYTE), MPI_File_write_ordered_end(f, data, status));
}

static void every_read(MPI_File f) {
  const MPI_Offset own = rank * (RANGE / 4);
  MPI_File_seek(f, own, MPI_SEEK_SET);
  MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
  BLOCKING(100, MPI_File_read(f, room, count, MPI_BYTE, status));
  BLOCKING(110, MPI_File_read_at(f, own, room, count, MPI_BYTE, status));
  BLOCKING(120, MPI_File_read_all(f, room, count, MPI_BYTE, status));
  BLOCKING(130, MPI_File_read_at_all(f, own, room, count, MPI_BYTE, status));
  BLOCKING(140, MPI_File_read_shared(f, room, count, MPI_BYTE, status));
  BLOCKING(150, MPI_File_read_ordered(f, room, count, MPI_BYTE, status));
  NONBLOCKING(160, MPI_File_iread(f, room, count, MPI_BYTE, request));
  NONBLOCKING(170, MPI_File_iread_at(f, own, room, count, MPI_BYTE, request));
  NONBLOCKING(180, MPI_File_iread_all(f, room, count, MPI_BYTE, request));
  NONBLOCKING(190, MPI_File_iread_at_all(f, own, room, count, MPI_BYTE, request));
  NONBLOCKING(200, MPI_File_iread_shared(f, room, count, MPI_BYTE, request));
  SPLIT(210, MPI_File_read_all_begin(f, room, count, MPI_BYTE), MPI_File_read_all_end(f, room, status));
  SPLIT(220, MPI_File_read_at_all_begin(f, own, room, count, MPI_BYTE), MPI_File_read_at_all_end(f, room, status));
  SPLIT(230, MPI_File_read_ordered_begin(f, room, count, MPI_BYTE), MPI_File_read_ordered_end(f, room, status));
}

static void every_access(void) {
  MPI_Offset size;
  MPI_File f = opened(MPI_COMM_WORLD, "all", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_set_size(f, 0);
  MPI_File_preallocate(f, RANGE);
  every_write(f);
  MPI_File_sync(f);
  MPI_File_get_size(f, &size);
  check(size, RANGE, "size");
  every_read(f);
  MPI_File_set_atomicity(f, 0);
  MPI_File_set_info(f, MPI_INFO_NULL);
  MPI_File_get_position_shared(f, &size);
  MPI_File_close(&f);
  check(f == MPI_FILE_NULL, 1, "closed");
}

// Nothing, by one of the processes or by all.
static void nothing(void) {
  MPI_Status status;
  MPI_Request request;
  const int one = rank == 1 ? 50 : 0;
  MPI_File f = opened(MPI_COMM_WORLD, "nothing", MPI_MODE_CREATE | MPI_MODE_RDWR);
  soil(&status);
  MPI_File_write_at(f, 0, data, 0, MPI_BYTE, &status);
  check_status(&status, 0, "write_at of nothing");
  soil(&status);
  MPI_File_write_at_all(f, 0, data, one, MPI_BYTE, &status);
  check_status(&status, one, "write_at_all of one");
  soil(&status);
  MPI_File_iwrite_at(f, 0, data, 0, MPI_BYTE, &request);
  MPI_Wait(&request, &status);
  check_status(&status, 0, "iwrite_at of nothing");
  MPI_File_sync(f);
  soil(&status);
  MPI_File_read_at_all(f, 0, room, one, MPI_BYTE, &status);
  check_status(&status, one, "read_at_all of one");
  soil(&status);
  MPI_File_read_ordered(f, room, 0, MPI_BYTE, &status);
  check_status(&status, 0, "read_ordered of nothing");
  soil(&status);
  MPI_File_iread_at_all(f, 0, room, one, MPI_BYTE, &request);
  MPI_Wait(&request, &status);
  check_status(&status, one, "iread_at_all of one");
  MPI_File_close(&f);
}

// Beyond the end of a file of SHORT bytes.
static void short_reads(int nonblocking) {
  int told;
  MPI_Status status;
  MPI_Request request;
  MPI_File f = opened(MPI_COMM_WORLD, "short", MPI_MODE_CREATE | MPI_MODE_RDWR);
  if (rank == 0) MPI_File_write_at(f, 0, data, SHORT, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_sync(f);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read(f, room, 3 * SHORT, MPI_BYTE, &status);
  check_status(&status, SHORT, "read");
  MPI_File_read(f, room, SHORT, MPI_BYTE, MPI_STATUS_IGNORE);  // 0
  MPI_File_read_at(f, SHORT - 10 - rank, room, SHORT, MPI_BYTE, &status);
  check_status(&status, 10 + rank, "read_at");
  // Libraries may say that a collective read got all that it asked for: they put the data together in parts.
  MPI_File_read_at_all(f, SHORT - 20 - rank, room, SHORT, MPI_BYTE, &status);
  MPI_Get_count(&status, MPI_BYTE, &told);
  printf("%d told %d\n", rank, told);
  if (nonblocking) {
    MPI_File_iread_at(f, SHORT - 30 - rank, room, SHORT, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&f);
}

// 5 times 2 of 4 integers, 200 bytes without their holes; through a view in which each process has every third block.
static void types_and_views(void) {
  MPI_Datatype pairs, blocks;
  MPI_Status status;
  MPI_Type_vector(5, 2, 4, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Type_vector(20, 10, 30, MPI_INT, &blocks);
  MPI_Type_commit(&blocks);
  MPI_File f = opened(MPI_COMM_WORLD, "view", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File_set_view(f, rank * 40, MPI_INT, blocks, "native", MPI_INFO_NULL);
  MPI_File_write_all(f, data, 5, pairs, &status);
  check_status(&status, 200, "write_all of pairs");
  MPI_File_write(f, data, 50, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(f);
  MPI_File_seek(f, 0, MPI_SEEK_SET);
  MPI_File_read_all(f, room, 5, pairs, MPI_STATUS_IGNORE);
  MPI_File_read(f, room, 50, MPI_INT, &status);
  check_status(&status, 200, "read of integers");
  MPI_File_close(&f);
  MPI_Type_free(&pairs);
  MPI_Type_free(&blocks);
}

static void put(MPI_File f, int bytes) { MPI_File_write_at(f, 0, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE); }

// One file on the world, on its halves, and each on its own; two handles at once; a communicator that is gone.
static void communicators(void) {
  MPI_Comm half, gone;
  char own[32];
  MPI_File first = opened(MPI_COMM_WORLD, "twice", MPI_MODE_CREATE | MPI_MODE_RDWR);
  MPI_File second = opened(MPI_COMM_WORLD, "twice", MPI_MODE_CREATE | MPI_MODE_RDWR);
  put(first, 10);
  put(second, 20);
  MPI_File_close(&first);
  put(second, 30);
  MPI_File_close(&second);
  first = opened(MPI_COMM_WORLD, "twice", MPI_MODE_RDONLY);
  MPI_File_read_at(first, 0, room, 5, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&first);

  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
  snprintf(own, sizeof own, "half%d", rank == 0);
  first = opened(half, own, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  put(first, 40 + rank);
  MPI_File_close(&first);
  MPI_Comm_free(&half);

  MPI_Comm_dup(MPI_COMM_WORLD, &gone);
  first = opened(gone, "gone", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE);
  MPI_Comm_free(&gone);
  put(first, 50);
  MPI_File_close(&first);

  snprintf(own, sizeof own, "self%d", rank);
  first = opened(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY);
  put(first, 60 + rank);
  MPI_File_close(&first);
}

// MANY one after the other, of which every tenth is deleted; then AT_ONCE at the same time.
static void many_files(void) {
  static MPI_File files[AT_ONCE];
  char name[64], path[4096];
  if (rank != 1) return;
  for (int i = 0; i < MANY; i++) {
    snprintf(name, sizeof name, "many%d", i);
    MPI_File f = opened(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    put(f, i);
    MPI_File_close(&f);
    if (i % 10) continue;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    MPI_File_delete(path, MPI_INFO_NULL);
  }
  for (int i = 0; i < AT_ONCE; i++) {
    snprintf(name, sizeof name, "once%d", i);
    files[i] = opened(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  }
  for (int i = 0; i < AT_ONCE; i++) put(files[i], 1000 + i);
  for (int i = AT_ONCE; i-- > 0;) {
    put(files[i], i);
    MPI_File_close(&files[i]);
  }
}

static void print_class(const char *what, int code) {
  int class;
  MPI_Error_class(code, &class);
  printf("%d %s %d\n", rank, what, class);
}

// Files return their errors by default.
static void errors(void) {
  char path[4096];
  MPI_File f = MPI_FILE_NULL;
  snprintf(path, sizeof path, "%s/missing", directory);
  print_class("open nothing", MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
  print_class("delete nothing", MPI_File_delete(path, MPI_INFO_NULL));
  f = opened(MPI_COMM_WORLD, "errors", MPI_MODE_CREATE | MPI_MODE_WRONLY);
  MPI_File_close(&f);
  f = opened(MPI_COMM_WORLD, "errors", MPI_MODE_RDONLY);
  print_class("write rdonly", MPI_File_write_at(f, 0, data, 7, MPI_BYTE, MPI_STATUS_IGNORE));
  print_class("bad count", MPI_File_read_at(f, 0, data, -1, MPI_BYTE, MPI_STATUS_IGNORE));
  MPI_File_close(&f);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  directory = argv[1];
  const char *only = argc > 2 ? argv[2] : "";
  if (!*only || !strcmp(only, "every")) every_access();
  if (!*only || !strcmp(only, "short")) short_reads(argc <= 3);
  if (!*only || !strcmp(only, "nothing")) nothing();
  if (!*only || !strcmp(only, "types")) types_and_views();
  if (!*only || !strcmp(only, "communicators")) communicators();
  if (!*only || !strcmp(only, "many")) many_files();
  if (!*only || !strcmp(only, "errors")) errors();
  MPI_Finalize();
  return failures != 0;
}
