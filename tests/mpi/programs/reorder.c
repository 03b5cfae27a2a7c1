// MPI_M_reorder and MPI_M_redistribute on four ranks: checks what is known by construction. PRETEND_NODES tells on
// which node each rank is (pretend_nodes.c). Arguments: what to check; behind `machine` the path of a machine.json.
#define _GNU_SOURCE
#include <MPI_Monitoring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static int rank, size;
static const char *nodes;

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "rank %d: %s:%d: not so: %s\n", rank, __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
    }                                                                                        \
  } while (0)

static int rank_in(MPI_Comm comm) {
  int own;
  MPI_Comm_rank(comm, &own);
  return own;
}

// Ranks 0 and 1, 2 and 3 exchange so many bytes.
static void pairs(MPI_Comm comm, int bytes) {
  static char out[100000], in[100000];
  int partner = rank_in(comm) ^ 1, members;
  MPI_Comm_size(comm, &members);
  if (partner >= members) return;
  for (int i = 0; i < 3; i++)
    MPI_Sendrecv(out, bytes, MPI_CHAR, partner, 0, in, bytes, MPI_CHAR, partner, 0, comm, MPI_STATUS_IGNORE);
}

static MPI_M_msid session_of(MPI_Comm comm, MPI_Comm used, int bytes) {
  MPI_M_msid session;
  CHECK(MPI_M_start(comm, &session) == MPI_SUCCESS);
  if (bytes) pairs(used, bytes);
  CHECK(MPI_M_suspend(session) == MPI_SUCCESS);
  return session;
}

// The node of each rank of a communicator.
static void nodes_of(MPI_Comm comm, char *each) { MPI_Allgather(&nodes[rank], 1, MPI_CHAR, each, 1, MPI_CHAR, comm); }

// Bytes that went from node to node between the processes of a suspended session.
static unsigned long between_nodes(MPI_Comm comm, MPI_M_msid session) {
  unsigned long bytes[MOST * MOST], sum = 0;
  char each[MOST];
  int n;
  MPI_Comm_size(comm, &n);
  nodes_of(comm, each);
  CHECK(MPI_M_allgather_data(session, MPI_M_DATA_IGNORE, bytes, MPI_M_USER_ONLY) == MPI_SUCCESS);
  for (int i = 0; i < n * n; i++)
    if (each[i / n] != each[i % n]) sum += bytes[i];
  return sum;
}

static void is_order(const int *k, int n) {
  int seen[MOST] = {0};
  for (int i = 0; i < n; i++) {
    CHECK(k[i] >= 0 && k[i] < n);
    CHECK(!seen[k[i]]++);
  }
}

static int is_identity(const int *k, int n) {
  int same = 1;
  for (int i = 0; i < n; i++) same = same && k[i] == i;
  return same;
}

static int moves(const int *k, int n) {
  int found = 0;
  for (int i = 0; i < n; i++) found += k[i] != i;
  return found;
}

// Everybody agrees on k, and has the rank that it says.
static void fits(MPI_Comm comm, MPI_Comm optimised, const int *k) {
  int n, roots[MOST], comparison;
  MPI_Comm_size(comm, &n);
  is_order(k, n);
  memcpy(roots, k, sizeof(int) * n);
  MPI_Bcast(roots, n, MPI_INT, 0, comm);
  CHECK(memcmp(roots, k, sizeof(int) * n) == 0);
  CHECK(rank_in(optimised) == k[rank_in(comm)]);
  MPI_Comm_compare(comm, optimised, &comparison);
  CHECK(comparison == (is_identity(k, n) ? MPI_CONGRUENT : MPI_SIMILAR));
}

// Pairs that were on two nodes are on one: of each pair one moves. Once more, nothing is cheaper.
static void check_pairs(MPI_Comm comm, const char *machine) {
  MPI_M_msid before = session_of(comm, comm, 1000), after;
  MPI_Comm optimised, again;
  int k[MOST], second[MOST];
  CHECK(between_nodes(comm, before) == 4 * 3 * 1000);
  CHECK(MPI_M_reorder(before, comm, machine, &optimised, k) == MPI_SUCCESS);
  fits(comm, optimised, k);
  CHECK(moves(k, 4) == 2);
  after = session_of(optimised, optimised, 1000);
  CHECK(between_nodes(optimised, after) == 0);
  CHECK(MPI_M_reorder(after, optimised, machine, &again, second) == MPI_SUCCESS);
  fits(optimised, again, second);
  CHECK(is_identity(second, 4));
  MPI_M_free(before), MPI_M_free(after);
  MPI_Comm_free(&again), MPI_Comm_free(&optimised);
}

static void world(void) { check_pairs(MPI_COMM_WORLD, NULL); }

// The letters are processors of one node.
static void cores(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(nodes[rank] - 'A', &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  check_pairs(MPI_COMM_WORLD, NULL);
}

// The session's communicator has the processes in another order than the one that is reordered.
static void another_order(void) {
  MPI_Comm turned, optimised;
  int k[MOST];
  MPI_Comm_split(MPI_COMM_WORLD, 0, (rank + 3) % 4, &turned);
  MPI_M_msid session = session_of(turned, MPI_COMM_WORLD, 1000), after;
  CHECK(MPI_M_reorder(session, MPI_COMM_WORLD, NULL, &optimised, k) == MPI_SUCCESS);
  fits(MPI_COMM_WORLD, optimised, k);
  after = session_of(optimised, optimised, 1000);
  CHECK(between_nodes(optimised, after) == 0);
  MPI_M_free(session), MPI_M_free(after);
  MPI_Comm_free(&optimised), MPI_Comm_free(&turned);
}

// Three of four, with rank 3 first: its partners are 0 and 1 in the part.
static void part(void) {
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2 ? MPI_UNDEFINED : 0, rank == 3 ? -1 : rank, &some);
  if (some == MPI_COMM_NULL) return;
  MPI_M_msid session = session_of(some, some, 500);
  MPI_Comm optimised;
  int k[MOST];
  char each[MOST];
  CHECK(MPI_M_reorder(session, some, NULL, &optimised, k) == MPI_SUCCESS);
  fits(some, optimised, k);
  nodes_of(optimised, each);
  CHECK(each[0] == each[1]);
  MPI_M_free(session);
  MPI_Comm_free(&optimised), MPI_Comm_free(&some);
}

// Only collectives, in halves: the view of what is inside, or the one by definition, leads to the same.
static void collectives(void) {
  MPI_Comm half, optimised;
  MPI_M_msid session;
  int k[MOST];
  double in[100] = {0}, out[100];
  char each[MOST];
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_M_start(MPI_COMM_WORLD, &session);
  MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, half);
  MPI_M_suspend(session);
  CHECK(MPI_M_reorder(session, MPI_COMM_WORLD, NULL, &optimised, k) == MPI_SUCCESS);
  fits(MPI_COMM_WORLD, optimised, k);
  nodes_of(optimised, each);
  CHECK(each[0] == each[1] && each[2] == each[3]);
  MPI_M_free(session);
  MPI_Comm_free(&optimised), MPI_Comm_free(&half);
}

// Without traffic, and of one process, the order stays; the communicator is a new one.
static void kept(void) {
  const MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 2; i++) {
    MPI_M_msid session = session_of(comms[i], comms[i], 0);
    MPI_Comm optimised;
    int k[MOST], n, comparison;
    MPI_Comm_size(comms[i], &n);
    CHECK(MPI_M_reorder(session, comms[i], NULL, &optimised, k) == MPI_SUCCESS);
    CHECK(is_identity(k, n));
    MPI_Comm_compare(comms[i], optimised, &comparison);
    CHECK(comparison == MPI_CONGRUENT);
    MPI_Comm_free(&optimised);
    CHECK(MPI_M_reorder(session, comms[i], NULL, &optimised, MPI_M_INT_IGNORE) == MPI_SUCCESS);
    MPI_Comm_free(&optimised);
    MPI_M_free(session);
  }
}

// The block of rank r: r + 1 times r, so that each is told by its size, too.
static void redistribute(void) {
  MPI_M_msid session = session_of(MPI_COMM_WORLD, MPI_COMM_WORLD, 1000);
  MPI_Comm optimised;
  int k[MOST], own[MOST], found[MOST];
  CHECK(MPI_M_reorder(session, MPI_COMM_WORLD, NULL, &optimised, k) == MPI_SUCCESS);
  const int orders[3][4] = {{k[0], k[1], k[2], k[3]}, {0, 1, 2, 3}, {1, 2, 3, 0}};
  for (int i = 0; i < 3; i++) {
    const int role = orders[i][rank];
    for (int j = 0; j <= rank; j++) own[j] = rank;
    for (int j = 0; j < MOST; j++) found[j] = -1;
    CHECK(MPI_M_redistribute(own, rank + 1, found, 4, MPI_INT, MPI_COMM_WORLD, orders[i]) == MPI_SUCCESS);
    for (int j = 0; j < MOST; j++) CHECK(found[j] == (j <= role ? role : -1));
  }
  const int twice[] = {0, 1, 1, 3}, beyond[] = {0, 1, 2, 4};
  CHECK(MPI_M_redistribute(own, 1, found, 1, MPI_INT, MPI_COMM_WORLD, twice) == MPI_M_INVALID_ORDER);
  CHECK(MPI_M_redistribute(own, 1, found, 1, MPI_INT, MPI_COMM_WORLD, beyond) == MPI_M_INVALID_ORDER);
  CHECK(MPI_M_redistribute(own, 1, found, 1, MPI_INT, MPI_COMM_WORLD, NULL) == MPI_M_INVALID_ORDER);
  CHECK(MPI_M_redistribute(own, 1, found, 1, MPI_INT, MPI_COMM_NULL, k) == MPI_M_MPIT_FAIL);
  MPI_M_free(session);
  MPI_Comm_free(&optimised);
}

// As in RR-9292: the root computes the order from the gathered matrix, and the program makes the communicator.
static void mapping(void) {
  enum { ROOT = 3 };
  MPI_M_msid session = session_of(MPI_COMM_WORLD, MPI_COMM_WORLD, 1000);
  unsigned long sizes[MOST * MOST] = {0};
  MPI_Comm better;
  int k[MOST];
  char each[MOST];
  if (rank == ROOT) CHECK(MPI_M_mapping(sizes, 4, k) == MPI_M_INVALID_COMM);
  CHECK(MPI_M_rootgather_data(session, ROOT, MPI_M_DATA_IGNORE, sizes, MPI_M_USER_ONLY) == MPI_SUCCESS);
  if (rank == ROOT) {
    CHECK(MPI_M_mapping(sizes, 3, k) == MPI_M_INVALID_COMM);
    CHECK(MPI_M_mapping(NULL, 4, k) == MPI_M_INVALID_ORDER);
    CHECK(MPI_M_mapping(sizes, 4, k) == MPI_SUCCESS);
    is_order(k, 4);
    CHECK(moves(k, 4) == 2);
  }
  MPI_Bcast(k, 4, MPI_INT, ROOT, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, 0, k[rank], &better);
  nodes_of(better, each);
  CHECK(each[0] == each[1] && each[2] == each[3]);
  MPI_M_free(session);
  MPI_Comm_free(&better);
}

static int decide(MPI_M_msid session, MPI_Comm comm, MPI_M_forecast *forecast, MPI_Comm *optimised, int *k) {
  CHECK(MPI_M_reorder_if_profitable(session, comm, NULL, forecast, optimised, k) == MPI_SUCCESS);
  MPI_M_forecast root = *forecast;
  MPI_Bcast(&root, sizeof root, MPI_BYTE, 0, comm);
  CHECK(root.reordered == forecast->reordered && root.gain == forecast->gain && root.cost == forecast->cost);
  CHECK(root.distance == forecast->distance && !strcmp(root.reason, forecast->reason) && *root.reason);
  CHECK(forecast->reordered == (*optimised != MPI_COMM_NULL));
  if (!forecast->reordered) CHECK(is_identity(k, 4));
  return forecast->reordered;
}

// Without a rest of the run, and with data that takes hours to hand over, the order stays. Whether it does with neither
// depends on how fast messages are here: between the nodes that are pretended they are as fast as within.
static void profitable(void) {
  MPI_M_msid session = session_of(MPI_COMM_WORLD, MPI_COMM_WORLD, 1000), after;
  MPI_M_forecast forecast = {0};
  MPI_Comm optimised, again;
  int k[MOST], second[MOST];
  CHECK(!decide(session, MPI_COMM_WORLD, &forecast, &optimised, k));
  CHECK(forecast.gain == 0 && forecast.distance == 0);
  forecast = (MPI_M_forecast){.repetitions = 1e4, .bytes = 1e18};
  CHECK(!decide(session, MPI_COMM_WORLD, &forecast, &optimised, k));
  CHECK(forecast.cost >= forecast.gain && forecast.distance == 0);
  forecast = (MPI_M_forecast){.repetitions = -1, .bytes = -1, .distance = 100};
  CHECK(!decide(session, MPI_COMM_WORLD, &forecast, &optimised, k));
  CHECK(forecast.distance == 100);
  forecast = (MPI_M_forecast){.repetitions = 1e6, .bytes = 0};
  if (decide(session, MPI_COMM_WORLD, &forecast, &optimised, k)) {
    CHECK(forecast.gain > forecast.cost && forecast.cost > 0);
    fits(MPI_COMM_WORLD, optimised, k);
    after = session_of(optimised, optimised, 1000);
    CHECK(between_nodes(optimised, after) == 0);
    const double distance = forecast.distance;
    CHECK(!decide(after, optimised, &forecast, &again, second));
    CHECK(forecast.distance == distance);
    MPI_M_free(after), MPI_Comm_free(&optimised);
  }
  MPI_M_free(session);
  session = session_of(MPI_COMM_WORLD, MPI_COMM_WORLD, 0);
  forecast = (MPI_M_forecast){.repetitions = 1e9, .bytes = 0};
  CHECK(!decide(session, MPI_COMM_WORLD, &forecast, &optimised, k));
  MPI_M_free(session);
}

static void refused(void) {
  MPI_M_msid session = session_of(MPI_COMM_WORLD, MPI_COMM_WORLD, 10), active;
  MPI_Comm optimised = MPI_COMM_SELF;
  int k[MOST];
  CHECK(MPI_M_reorder(session, MPI_COMM_SELF, NULL, &optimised, k) == MPI_M_INVALID_COMM);
  CHECK(optimised == MPI_COMM_NULL);
  CHECK(MPI_M_reorder(session, MPI_COMM_NULL, NULL, &optimised, k) == MPI_M_MPIT_FAIL);
  CHECK(MPI_M_reorder(session, MPI_COMM_WORLD, NULL, NULL, k) == MPI_M_INVALID_COMM);
  CHECK(MPI_M_reorder(MPI_M_ALL_MSID, MPI_COMM_WORLD, NULL, &optimised, k) == MPI_M_INVALID_MSID);
  CHECK(MPI_M_reorder(4711, MPI_COMM_WORLD, NULL, &optimised, k) == MPI_M_INVALID_MSID);
  MPI_M_forecast forecast = {.repetitions = 1e9};
  optimised = MPI_COMM_SELF;
  CHECK(MPI_M_reorder_if_profitable(session, MPI_COMM_SELF, NULL, &forecast, &optimised, k) == MPI_M_INVALID_COMM);
  CHECK(optimised == MPI_COMM_NULL);
  CHECK(MPI_M_reorder_if_profitable(session, MPI_COMM_WORLD, NULL, NULL, &optimised, k) == MPI_M_INVALID_ORDER);
  CHECK(MPI_M_reorder_if_profitable(session, MPI_COMM_WORLD, NULL, &forecast, NULL, k) == MPI_M_INVALID_COMM);
  CHECK(MPI_M_reorder_if_profitable(4711, MPI_COMM_WORLD, NULL, &forecast, &optimised, k) == MPI_M_INVALID_MSID);
  MPI_M_start(MPI_COMM_WORLD, &active);
  CHECK(MPI_M_reorder_if_profitable(active, MPI_COMM_WORLD, NULL, &forecast, &optimised, k) ==
        MPI_M_SESSION_NOT_SUSPENDED);
  CHECK(MPI_M_reorder(active, MPI_COMM_WORLD, NULL, &optimised, k) == MPI_M_SESSION_NOT_SUSPENDED);
  MPI_M_suspend(active);
  optimised = MPI_COMM_SELF;
  CHECK(MPI_M_reorder(session, MPI_COMM_WORLD, "/no/machine.json", &optimised, k) == MPI_M_INVALID_MACHINE);
  CHECK(optimised == MPI_COMM_NULL);
  MPI_M_free(session), MPI_M_free(active);
}

static const struct {
  const char *name;
  void (*check)(void);
} checks[] = {{"world", world},
              {"cores", cores},
              {"another_order", another_order},
              {"part", part},
              {"collectives", collectives},
              {"kept", kept},
              {"redistribute", redistribute},
              {"mapping", mapping},
              {"profitable", profitable},
              {"refused", refused}};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  nodes = getenv("PRETEND_NODES");
  CHECK(nodes && (int)strlen(nodes) == size);
  int k[1] = {0};
  MPI_Comm none;
  CHECK(MPI_M_reorder(1, MPI_COMM_WORLD, NULL, &none, k) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_redistribute(NULL, 0, NULL, 0, MPI_INT, MPI_COMM_SELF, k) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_mapping(NULL, 1, k) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_reorder_if_profitable(1, MPI_COMM_WORLD, NULL, &(MPI_M_forecast){0}, &none, k) == MPI_M_MISSING_INIT);
  CHECK(MPI_M_init() == MPI_SUCCESS);
  for (int i = 1; i < argc; i++) {
    int known = 0;
    for (size_t j = 0; j < sizeof checks / sizeof *checks; j++) {
      if (strcmp(argv[i], checks[j].name)) continue;
      checks[j].check();
      known = 1;
    }
    if (!known && !strcmp(argv[i], "machine") && i + 1 < argc) {
      check_pairs(MPI_COMM_WORLD, argv[++i]);
      known = 1;
    }
    CHECK(known);
  }
  CHECK(MPI_M_finalize() == MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}
