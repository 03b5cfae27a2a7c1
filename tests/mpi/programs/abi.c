// What the real mpi.h says, a line each, for tests/mpi/test_abi.py to compare with our own description of it
// (abi_described.cpp prints the same keys).
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static void put(const char *key, long long value) { printf("%s %lld\n", key, value); }

// All bytes of a status, so that our reading of its hidden fields can be tried.
static void put_status(const char *key, MPI_Status status) {
  const unsigned char *bytes = (const unsigned char *)&status;
  printf("%s ", key);
  for (size_t i = 0; i < sizeof status; i++) printf("%02x", bytes[i]);
  printf("\n");
}

static void put_datatype(MPI_Datatype datatype) {
  int size;
  MPI_Type_size(datatype, &size);
  printf("datatype:%lld %d\n", (long long)(intptr_t)datatype, size);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  put("sizeof MPI_Comm", sizeof(MPI_Comm));
  put("sizeof MPI_Datatype", sizeof(MPI_Datatype));
  put("sizeof MPI_File", sizeof(MPI_File));
  put("sizeof MPI_Group", sizeof(MPI_Group));
  put("sizeof MPI_Info", sizeof(MPI_Info));
  put("sizeof MPI_Message", sizeof(MPI_Message));
  put("sizeof MPI_Op", sizeof(MPI_Op));
  put("sizeof MPI_Request", sizeof(MPI_Request));
  put("sizeof MPI_Win", sizeof(MPI_Win));
  put("sizeof MPI_Aint", sizeof(MPI_Aint));
  put("sizeof MPI_Offset", sizeof(MPI_Offset));
  put("sizeof MPI_Count", sizeof(MPI_Count));
  put("sizeof MPI_Status", sizeof(MPI_Status));
  put("alignof MPI_Status", _Alignof(MPI_Status));
  put("offset MPI_SOURCE", offsetof(MPI_Status, MPI_SOURCE));
  put("offset MPI_TAG", offsetof(MPI_Status, MPI_TAG));
  put("offset MPI_ERROR", offsetof(MPI_Status, MPI_ERROR));
  put("MPI_SUCCESS", MPI_SUCCESS);
  put("MPI_UNDEFINED", MPI_UNDEFINED);
  put("MPI_PROC_NULL", MPI_PROC_NULL);
  put("MPI_ROOT", MPI_ROOT);
  put("MPI_CART", MPI_CART);
  put("MPI_GRAPH", MPI_GRAPH);
  put("MPI_DIST_GRAPH", MPI_DIST_GRAPH);
  put("MPI_THREAD_SINGLE", MPI_THREAD_SINGLE);
  put("MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED);
  put("MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED);
  put("MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE);
  // In the order of enum rankwise_file_mode.
  const int modes[] = {MPI_MODE_CREATE, MPI_MODE_RDONLY,          MPI_MODE_WRONLY,
                       MPI_MODE_RDWR,   MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_UNIQUE_OPEN,
                       MPI_MODE_EXCL,   MPI_MODE_APPEND,          MPI_MODE_SEQUENTIAL};
  for (int i = 0; i < 9; i++) printf("mode:%d %d\n", modes[i], 1 << i);
  put("MPI_IN_PLACE", (intptr_t)MPI_IN_PLACE);
  put("MPI_STATUS_IGNORE", (intptr_t)MPI_STATUS_IGNORE);
  put("MPI_STATUSES_IGNORE", (intptr_t)MPI_STATUSES_IGNORE);
  put("MPI_MAX_LIBRARY_VERSION_STRING", MPI_MAX_LIBRARY_VERSION_STRING);
#ifndef OPEN_MPI
  // In Open MPI these are the addresses of objects of the library.
  put("MPI_COMM_NULL", (intptr_t)MPI_COMM_NULL);
  put("MPI_COMM_WORLD", (intptr_t)MPI_COMM_WORLD);
  put("MPI_COMM_SELF", (intptr_t)MPI_COMM_SELF);
  put("MPI_DATATYPE_NULL", (intptr_t)MPI_DATATYPE_NULL);
  put("MPI_BYTE", (intptr_t)MPI_BYTE);
  put("MPI_REQUEST_NULL", (intptr_t)MPI_REQUEST_NULL);
  put("MPI_WIN_NULL", (intptr_t)MPI_WIN_NULL);
  put("MPI_FILE_NULL", (intptr_t)MPI_FILE_NULL);
  put("MPI_NO_OP", (intptr_t)MPI_NO_OP);
  put("MPI_OP_NULL", (intptr_t)MPI_OP_NULL);
#endif

  put_datatype(MPI_BYTE);
  put_datatype(MPI_CHAR);
  put_datatype(MPI_SHORT);
  put_datatype(MPI_INT);
  put_datatype(MPI_LONG_LONG);
  put_datatype(MPI_DOUBLE);
  put_datatype(MPI_LONG_DOUBLE);
  put_datatype(MPI_C_DOUBLE_COMPLEX);
  put_datatype(MPI_DOUBLE_INT);
  put_datatype(MPI_SHORT_INT);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  put_datatype(pair);

  MPI_Status status;
  char room[64];
  MPI_Sendrecv("", 0, MPI_BYTE, 0, 5, room, 64, MPI_BYTE, 0, 5, MPI_COMM_SELF, &status);
  put_status("status:0", status);
  MPI_Sendrecv("ten bytes.", 10, MPI_BYTE, 0, 5, room, 64, MPI_BYTE, 0, 5, MPI_COMM_SELF, &status);
  put_status("status:10", status);
  MPI_Sendrecv("", 0, MPI_BYTE, MPI_PROC_NULL, 5, room, 64, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_SELF, &status);
  put_status("status:0", status);
  MPI_Status_set_elements_x(&status, MPI_BYTE, 5000000000);
  put_status("status:5000000000", status);
  MPI_Status_set_elements_x(&status, MPI_INT, 3000000000);
  put_status("status:12000000000", status);
  MPI_Status_set_cancelled(&status, 1);
  put_status("status:-1", status);
  MPI_Finalize();
  return 0;
}
