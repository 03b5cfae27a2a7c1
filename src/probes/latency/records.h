// The measured values in the layout of the file (docs/reference/latency-file.md).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Of one message size: half a round trip in us, bandwidth in MB/s.
typedef struct {
  uint32_t repeats;
  float min, median, p95, mean, std;
  float forward, backward;
} Sized;

typedef struct {
  uint32_t first, second;
  float overhead;
  Sized sizes[];
} Record;

typedef struct {
  int sizes;
  int64_t count;
  char *bytes;
} Records;

int record_bytes(int sizes);

// False if memory is exhausted.
bool records_make(Records *records, int sizes, int64_t capacity);
void records_free(Records *records);

Record *records_at(const Records *records, int64_t place);
Record *records_add(Records *records, int first, int second);
void records_sort(Records *records);
