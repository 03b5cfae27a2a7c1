#include "files.h"

#include <climits>
#include <cstdio>

namespace rankwise::introspection {
namespace {

// Writes a file whose name is concatenated from three parts; false on failure.
template <class Write>
bool write_file(const char *filename, const char *part, int rank, Write write) {
  char name[PATH_MAX];
  const int length = snprintf(name, sizeof name, "%s%s.%d.prof", filename, part, rank);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof name) return false;
  FILE *file = fopen(name, "we");
  if (file == nullptr) return false;
  write(file);
  const bool written = ferror(file) == 0;
  return fclose(file) == 0 && written;
}

unsigned long long number(std::uint64_t value) { return value; }

// Describes messages inside collectives that the numbers omit.
void write_warning(FILE *file, const Rows &rows) {
  if (!rows.has_inside() || rows.visible() == visible_all) return;
  const char *what = rows.visible() == visible_none ? "none" : "not all";
  fprintf(file, "# of the messages inside collectives %s can be seen here, and these are not counted\n", what);
}

bool write_matrix(const char *filename, const char *part, const Rows &rows, std::uint64_t Count::*what) {
  return write_file(filename, part, rows.world_rank(), [&](FILE *file) {
    write_warning(file, rows);
    const Count *count = rows.counts();
    for (int from = 0; from < rows.members(); ++from) {
      for (int to = 0; to < rows.members(); ++to, ++count) {
        fprintf(file, "%s%llu", to == 0 ? "" : " ", number(count->*what));
      }
      fputc('\n', file);
    }
  });
}

}  // namespace

bool write_row(const char *filename, const Rows &rows) {
  return write_file(filename, "", rows.rank(), [&](FILE *file) {
    write_warning(file, rows);
    fputs("# from to messages bytes\n", file);
    for (int to = 0; to < rows.members(); ++to) {
      const Count &count = rows.counts()[to];
      fprintf(file, "%d %d %llu %llu\n", rows.rank(), to, number(count.messages), number(count.bytes));
    }
  });
}

bool write_matrices(const char *filename, const Rows &rows) {
  const bool counts = write_matrix(filename, "_counts", rows, &Count::messages);
  return write_matrix(filename, "_sizes", rows, &Count::bytes) && counts;
}

}  // namespace rankwise::introspection
