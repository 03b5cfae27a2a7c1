// Where a rank may take its memory from: a line `rankwise-memory RANK DOMAINS` each. All else about the place of a rank
// is in the counters that are recorded of this program.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_DOMAINS = 8192, BITS = 8 * (int)sizeof(long), LONGEST = 1 << 14 };
enum { MEMORY_DEFAULT = 0, MEMORY_LOCAL = 4 };  // policies of the kernel that name no domain: linux/mempolicy.h

static unsigned long domains[MOST_DOMAINS / (8 * sizeof(long))];

// Writes the domains that a policy, as of numactl, names: `0,2`. Returns whether there is one.
static int by_policy(char *text) {
  int mode, length = 0;
  if (syscall(SYS_get_mempolicy, &mode, domains, MOST_DOMAINS, NULL, 0UL) != 0) return 0;
  mode &= 0xff;  // without flags
  if (mode == MEMORY_DEFAULT || mode == MEMORY_LOCAL) return 0;
  for (int i = 0; i < MOST_DOMAINS && length < LONGEST - 16; i++) {
    if (domains[i / BITS] >> (i % BITS) & 1UL) length += sprintf(text + length, "%s%d", length ? "," : "", i);
  }
  return length > 0;
}

// Writes the domains that the batch system or the container leaves to the process: `0-3`.
static int by_kernel(char *text) {
  static const char key[] = "Mems_allowed_list:";
  char line[LONGEST];
  int known = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && !known && fgets(line, sizeof line, file)) {
    known = strncmp(line, key, sizeof key - 1) == 0 && sscanf(line + sizeof key - 1, "%s", text) == 1;
  }
  if (file) fclose(file);
  return known;
}

int main(int argc, char **argv) {
  char text[LONGEST], line[LONGEST + 64];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (by_policy(text) || by_kernel(text)) {
    const int length = snprintf(line, sizeof line, "rankwise-memory %d %s\n", rank, text);
    if (write(STDOUT_FILENO, line, (size_t)length) != length) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
