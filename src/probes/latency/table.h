// The binary table: each rank writes its own part.
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "records.h"

typedef struct {
  const char *directory;
  MPI_File file;
  int64_t pairs, alone;  // written by all ranks
} Table;

// All ranks call these together. An error goes to `line`, of LINE bytes, which is empty if all is well.
void table_open(Table *table, const char *directory, char *line);
void table_write(Table *table, Records *pairs, Records *alone, char *line);
