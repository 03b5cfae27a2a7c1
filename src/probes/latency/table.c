#include "table.h"

#include <stdio.h>

#include "../common/failure.h"

static void explain(int error, const char *what, const char *directory, char *line) {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length;
  line[0] = '\0';
  if (error == MPI_SUCCESS) return;
  MPI_Error_string(error, reason, &length);
  for (char *c = reason; *c; c++)
    if (*c == '\n') *c = ' ';
  snprintf(line, LINE, "cannot %s %.200s/pairs, which all nodes must see: %.200s", what, directory, reason);
}

void table_open(Table *table, const char *directory, char *line) {
  char path[4096];
  snprintf(path, sizeof path, "%s/pairs", directory);
  *table = (Table){.directory = directory, .file = MPI_FILE_NULL};
  int error = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &table->file);
  if (error == MPI_SUCCESS) error = MPI_File_set_size(table->file, 0);
  explain(error, "create", directory, line);
}

// Writes the records of all ranks consecutively from `before` on. Counts them.
static int write_records(MPI_File file, int64_t before, Records *records, int64_t *total) {
  records_sort(records);
  int64_t start = 0;
  MPI_Exscan(&records->count, &start, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&records->count, total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  int rank, bytes = record_bytes(records->sizes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) start = 0;  // MPI_Exscan leaves it undefined
  MPI_Datatype type;
  MPI_Type_contiguous(bytes, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  int error = MPI_File_write_at_all(file, (before + start) * bytes, records->bytes, (int)records->count, type,
                                    MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  return error;
}

// Some libraries report no error when the disk is full, so rank 0 checks the file. Opening it makes a client of a
// network file system show what others have written.
static bool is_whole(const Table *table, int record) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) return true;
  char path[4096];
  snprintf(path, sizeof path, "%s/pairs", table->directory);
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  bool whole = fseeko(file, 0, SEEK_END) == 0 && ftello(file) == (table->pairs + table->alone) * record;
  fclose(file);
  return whole;
}

void table_write(Table *table, Records *pairs, Records *alone, char *line) {
  int error = write_records(table->file, 0, pairs, &table->pairs);
  int error_alone = write_records(table->file, table->pairs, alone, &table->alone);
  int error_close = MPI_File_close(&table->file);
  if (error == MPI_SUCCESS) error = error_alone;
  if (error == MPI_SUCCESS) error = error_close;
  if (!is_whole(table, record_bytes(pairs->sizes)) && error == MPI_SUCCESS) error = MPI_ERR_NO_SPACE;
  explain(error, "write", table->directory, line);
}
