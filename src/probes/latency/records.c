#include "records.h"

#include <stddef.h>
#include <stdlib.h>

// Written to the file in their memory layout.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is little-endian");
_Static_assert(sizeof(Sized) == 32 && offsetof(Record, sizes) == 12, "the file has no gaps");

int record_bytes(int sizes) { return (int)(sizeof(Record) + (size_t)sizes * sizeof(Sized)); }

bool records_make(Records *records, int sizes, int64_t capacity) {
  *records = (Records){.sizes = sizes};
  records->bytes = malloc((size_t)capacity * (size_t)record_bytes(sizes) + 1);
  return records->bytes != NULL;
}

void records_free(Records *records) {
  free(records->bytes);
  *records = (Records){0};
}

Record *records_at(const Records *records, int64_t place) {
  return (Record *)(void *)(records->bytes + place * record_bytes(records->sizes));
}

Record *records_add(Records *records, int first, int second) {
  Record *record = records_at(records, records->count++);
  record->first = (uint32_t)first;
  record->second = (uint32_t)second;
  return record;
}

static int by_second(const void *left, const void *right) {
  uint32_t a = ((const Record *)left)->second, b = ((const Record *)right)->second;
  return a < b ? -1 : a > b;
}

void records_sort(Records *records) {
  qsort(records->bytes, (size_t)records->count, (size_t)record_bytes(records->sizes), by_second);
}
