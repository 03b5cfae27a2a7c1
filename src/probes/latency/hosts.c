#define _GNU_SOURCE
#include "hosts.h"

#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/failure.h"
#include "processors.h"

typedef struct {
  uint64_t name;  // its hash
  int rank;
  int first;  // rank of the same name
} Named;

// FNV-1a.
static uint64_t hash_of(const char *name) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
  return hash;
}

static int by_name(const void *left, const void *right) {
  const Named *a = left, *b = right;
  if (a->name != b->name) return a->name < b->name ? -1 : 1;
  return a->rank < b->rank ? -1 : 1;
}

// Numbers the names in the order of their first rank.
static void number_names(const uint64_t *names, int ranks, int *node) {
  Named *named = needed((size_t)ranks * sizeof *named);
  for (int rank = 0; rank < ranks; rank++) named[rank] = (Named){names[rank], rank, rank};
  qsort(named, (size_t)ranks, sizeof *named, by_name);
  for (int i = 1; i < ranks; i++)
    if (named[i].name == named[i - 1].name) named[i].first = named[i - 1].first;
  for (int i = 0; i < ranks; i++) node[named[i].rank] = named[i].first;
  int nodes = 0;
  for (int rank = 0; rank < ranks; rank++) node[rank] = node[rank] == rank ? nodes++ : node[node[rank]];
  free(named);
}

// Whether this node has more ranks than processors that they may use.
static void count_processors(Hosts *hosts, int rank) {
  MPI_Comm here;
  MPI_Comm_split(MPI_COMM_WORLD, hosts->node[rank], rank, &here);
  MPI_Comm_size(here, &hosts->ranks_here);
  Processors processors = processors_allowed();
  MPI_Allreduce(MPI_IN_PLACE, processors.bits, sizeof processors.bits, MPI_UNSIGNED_CHAR, MPI_BOR, here);
  hosts->processors_here = processors_count(&processors);
  MPI_Comm_free(&here);
}

void hosts_find(Hosts *hosts) {
  *hosts = (Hosts){0};
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  gethostname(hosts->name, sizeof hosts->name - 1);

  uint64_t mine = hash_of(hosts->name), *names = needed((size_t)ranks * sizeof *names);
  MPI_Allgather(&mine, 1, MPI_UINT64_T, names, 1, MPI_UINT64_T, MPI_COMM_WORLD);
  hosts->node = needed((size_t)ranks * sizeof(int));
  number_names(names, ranks, hosts->node);
  free(names);

  count_processors(hosts, rank);
  int crowded = hosts->ranks_here > hosts->processors_here, any = 0;
  MPI_Allreduce(&crowded, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  hosts->oversubscribed = any != 0;
}

static bool is_first_of_node(const Hosts *hosts, int rank) {
  for (int before = 0; before < rank; before++)
    if (hosts->node[before] == hosts->node[rank]) return false;
  return true;
}

void hosts_gather(const Hosts *hosts, Text *all) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Text mine = {0};
  if (is_first_of_node(hosts, rank)) {
    text_add(&mine, "{\"name\": ");
    text_add_string(&mine, hosts->name);
    text_add(&mine, ", \"processors\": [");
    processors_add_online(&mine);
    text_add(&mine, "]}");
  }
  text_gather(&mine, all);
  text_free(&mine);
}

void hosts_gather_ranks(const Hosts *hosts, Text *all) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Processors allowed = processors_allowed();
  Text mine = {0};
  text_add(&mine, "{\"host\": %d, \"cpus\": \"", hosts->node[rank]);
  processors_add_list(&allowed, &mine);
  text_add(&mine, "\", \"cpu\": %d}", sched_getcpu());
  text_gather(&mine, all);
  text_free(&mine);
}

void hosts_free(Hosts *hosts) {
  free(hosts->node);
  *hosts = (Hosts){0};
}
