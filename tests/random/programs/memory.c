// Datatypes, and the memory of messages.
#include "interpreter.h"

static const char zeros[1 << 24];
static char rooms[1 << 28];
static size_t used, kept;

static size_t span(int count, MPI_Datatype type) {
  MPI_Aint low, extent;
  PMPI_Type_get_extent(type, &low, &extent);
  return (size_t)count * (size_t)extent + 64;
}

const void *data(int count, MPI_Datatype type) {
  if (span(count, type) > sizeof zeros) fail("a message is too long");
  return zeros;
}

void *room(int count, MPI_Datatype type) {
  const size_t bytes = (span(count, type) + 63) / 64 * 64;
  if (used + bytes > sizeof rooms) fail("no room for messages");
  used += bytes;
  return rooms + used - bytes;
}

void run_room(void) { used = kept; }

void run_keep(void) { kept = used; }

void run_forget(void) { used = kept = 0; }

void run_type_builtin(void) {
  const MPI_Datatype known[] = {MPI_BYTE,   MPI_CHAR,          MPI_SHORT,      MPI_INT,     MPI_FLOAT,
                                MPI_DOUBLE, MPI_LONG_LONG_INT, MPI_DOUBLE_INT, MPI_INT64_T, MPI_2INT};
  const int type = number();
  types[type] = known[number()];
}

void run_type_contiguous(void) {
  const int type = number(), count = number();
  PMPI_Type_contiguous(count, datatype(), &types[type]);
  PMPI_Type_commit(&types[type]);
}

void run_type_vector(void) {
  const int type = number(), count = number(), length = number(), stride = number();
  PMPI_Type_vector(count, length, stride, datatype(), &types[type]);
  PMPI_Type_commit(&types[type]);
}

void run_type_struct(void) {
  const int type = number();
  const List lengths = numbers(), members = numbers();
  MPI_Aint displacements[LONGEST], at = 0;
  MPI_Datatype handles[LONGEST];
  for (int i = 0; i < members.n; ++i) {
    handles[i] = types[members.values[i]];
    displacements[i] = at;
    at += (MPI_Aint)span(lengths.values[i], handles[i]) / 8 * 8;
  }
  PMPI_Type_create_struct(members.n, lengths.values, displacements, handles, &types[type]);
  PMPI_Type_commit(&types[type]);
}

void run_type_free(void) { PMPI_Type_free(&types[number()]); }
