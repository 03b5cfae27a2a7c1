// Operations one after the other, on a communicator of their own for each size, and before and after each of them what
// the network interface of the node has sent and received: tests/cluster/traffic compares it with the profile.
//
// Arguments: prefix of the output. The first rank of each node writes <prefix>.<host>, a line an operation:
// operation, size in bytes, how much the interface's counters grew (bytes and packets sent, bytes and packets
// received), and how many segments TCP sent again.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { operations = 8, sizes = 3 };

static const int bytes_of_size[sizes] = {65536, 262144, 1048576};
static const int rounds_of_size[sizes] = {8, 3, 1};
static const char *const names[operations] = {"none",          "MPI_Bcast",    "MPI_Allreduce", "MPI_Alltoall",
                                              "MPI_Allgather", "MPI_Sendrecv", "MPI_Ialltoall", "MPI_Put"};

struct counters {
  long long bytes_sent, packets_sent, bytes_received, packets_received, segments_repeated;
};

// From /proc/net, which shows the node's own interfaces to whoever reads it there; /sys shows those of its mounter.
static struct counters read_counters(void) {
  struct counters now;
  int found = 0;
  char line[512];
  FILE *interfaces = fopen("/proc/net/dev", "r");
  while (interfaces != NULL && fgets(line, sizeof line, interfaces) != NULL) {
    found += sscanf(line, " eth0: %lld %lld %*d %*d %*d %*d %*d %*d %lld %lld", &now.bytes_received,
                    &now.packets_received, &now.bytes_sent, &now.packets_sent) == 4;
  }
  FILE *protocols = fopen("/proc/net/snmp", "r");
  while (protocols != NULL && fgets(line, sizeof line, protocols) != NULL) {
    found += sscanf(line, "Tcp: %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %lld", &now.segments_repeated) == 1;
  }
  if (found != 2) MPI_Abort(MPI_COMM_WORLD, 1);
  fclose(interfaces);
  fclose(protocols);
  return now;
}

static void perform(int operation, int bytes, char *from, char *to, int rank, int size, MPI_Comm comm, MPI_Win win) {
  MPI_Request request;
  const int next = (rank + 2) % size;  // on the next node, where each has two ranks
  const int previous = (rank + size - 2) % size;
  switch (operation) {
    case 1:
      MPI_Bcast(from, bytes, MPI_BYTE, size - 1, comm);
      break;
    case 2:
      MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, comm);
      break;
    case 3:
      MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm);
      break;
    case 4:
      MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm);
      break;
    case 5:
      MPI_Sendrecv(from, bytes, MPI_BYTE, next, 0, to, bytes, MPI_BYTE, previous, 0, comm, MPI_STATUS_IGNORE);
      break;
    case 6:
      MPI_Ialltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 7:
      MPI_Win_fence(0, win);
      MPI_Put(from, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win);
      MPI_Win_fence(0, win);
      break;
    default:
      break;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, local;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local);
  char *from = calloc(size, bytes_of_size[sizes - 1]);
  char *to = calloc(size, bytes_of_size[sizes - 1]);
  FILE *out = NULL;
  if (local == 0 && argc > 1) {
    char host[256], path[4096];
    gethostname(host, sizeof host);
    snprintf(path, sizeof path, "%s.%s", argv[1], host);
    out = fopen(path, "w");
    if (out == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  }

  MPI_Comm comms[sizes];
  MPI_Win wins[sizes], first;
  MPI_Win_create(to, bytes_of_size[0], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
  for (int s = 0; s < sizes; s++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[s]);
    char name[32];
    snprintf(name, sizeof name, "%d", bytes_of_size[s]);
    MPI_Comm_set_name(comms[s], name);
    MPI_Win_create(to, bytes_of_size[s], 1, MPI_INFO_NULL, comms[s], &wins[s]);
    MPI_Win_set_name(wins[s], name);
  }
  // All connections are there when the counters are first read.
  for (int operation = 0; operation < operations; operation++) {
    perform(operation, 65536, from, to, rank, size, MPI_COMM_WORLD, first);
  }

  for (int s = 0; s < sizes; s++) {
    for (int operation = 0; operation < operations; operation++) {
      struct counters before = {0}, after;
      MPI_Barrier(MPI_COMM_WORLD);
      if (out != NULL) before = read_counters();
      MPI_Barrier(MPI_COMM_WORLD);
      for (int round = 0; round < rounds_of_size[s]; round++) {
        perform(operation, bytes_of_size[s], from, to, rank, size, comms[s], wins[s]);
      }
      MPI_Barrier(MPI_COMM_WORLD);
      if (out == NULL) continue;
      after = read_counters();
      fprintf(out, "%s %d %lld %lld %lld %lld %lld\n", names[operation], bytes_of_size[s],
              after.bytes_sent - before.bytes_sent, after.packets_sent - before.packets_sent,
              after.bytes_received - before.bytes_received, after.packets_received - before.packets_received,
              after.segments_repeated - before.segments_repeated);
    }
  }

  if (out != NULL) fclose(out);
  for (int s = 0; s < sizes; s++) {
    MPI_Win_free(&wins[s]);
    MPI_Comm_free(&comms[s]);
  }
  MPI_Win_free(&first);
  MPI_Comm_free(&node);
  free(from);
  free(to);
  MPI_Finalize();
  return 0;
}
