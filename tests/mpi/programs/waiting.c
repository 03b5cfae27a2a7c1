// Processes that come late to collectives, and what that made the others wait: each process notes when it comes to each
// call and when it leaves it, by the clock that all processes of a node share, and rank 0 prints who waited how long.
//
//     waiting STEP...    STEPs are run one after the other; each prints lines
//                        "PROCEDURE COMMUNICATOR RANK CALLS SECONDS WAITED CAUSED SAVED LAST"
//
// CAUSED: what others waited for the rank; SAVED: how much less it had been if the rank had come with the latest of the
// others; LAST: calls in which it had the others wait the most.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CALLS = 6000, LATE_US = 4000, VERY_LATE_US = 15000, OVERLAP_US = 2000 };

static int rank, size;
static double came[MOST_CALLS], entered[MOST_CALLS], left[MOST_CALLS];
static int calls;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void come(void) { came[calls] = entered[calls] = now(); }
static void enter(void) { entered[calls] = now(); }  // the call that completes what was posted
static void leave(void) { left[calls++] = now(); }

// Who waits for whom, by the definition of the collective. FOR_NEXT: for those with the ranks before and after. In a
// ring: FOR_BEFORE: for the one before, FOR_AFTER: for the one after.
enum Kind { ALL, FOR_ROOT, FOR_OTHERS, FOR_LOWER, FOR_NEXT, FOR_BEFORE, FOR_AFTER };

static double within(double seconds, double most) { return seconds < 0 ? 0 : seconds > most ? most : seconds; }

// Gathers what all processes of a communicator have noted, and prints what each waited. `root` < 0: it goes round.
static void tell(const char *procedure, const char *name, MPI_Comm comm, enum Kind kind, int root) {
  int n, own;
  MPI_Comm quiet;  // what is called on it is none of what is told
  MPI_Comm_dup(comm, &quiet);
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &own);
  double *all_came = malloc(sizeof(double) * (size_t)(n * calls)),
         *all_entered = malloc(sizeof(double) * (size_t)(n * calls)),
         *all_left = malloc(sizeof(double) * (size_t)(n * calls));
  int *world = malloc(sizeof(int) * (size_t)n);
  MPI_Gather(came, calls, MPI_DOUBLE, all_came, calls, MPI_DOUBLE, 0, quiet);
  MPI_Gather(entered, calls, MPI_DOUBLE, all_entered, calls, MPI_DOUBLE, 0, quiet);
  MPI_Gather(left, calls, MPI_DOUBLE, all_left, calls, MPI_DOUBLE, 0, quiet);
  MPI_Gather(&rank, 1, MPI_INT, world, 1, MPI_INT, 0, quiet);
  struct Told {
    double inside, waited, caused, saved;
    int last;
  } *told = calloc((size_t)n, sizeof *told);
  double *caused = malloc(sizeof(double) * (size_t)n);  // in one call
  for (int i = 0; own == 0 && i < calls; i++) {
    const int at = root < 0 ? i % n : root;
    for (int r = 0; r < n; r++) caused[r] = 0;
    for (int r = 0; r < n; r++) {
      const double mine = all_entered[r * calls + i], length = all_left[r * calls + i] - mine;
      double latest = 0, before = 0;  // before it
      int whose = r;
      for (int other = 0; other < n; other++) {
        const double when = all_came[other * calls + i];
        const int counts = kind == ALL || (kind == FOR_ROOT && other == at && r != at) ||
                           (kind == FOR_OTHERS && r == at && other != at) || (kind == FOR_LOWER && other < r) ||
                           (kind == FOR_NEXT && abs(other - r) == 1) ||
                           (kind == FOR_BEFORE && other == (r + n - 1) % n) ||
                           (kind == FOR_AFTER && other == (r + 1) % n);
        if (!counts) continue;
        if (when > latest) {
          before = latest, latest = when, whose = other;
        } else if (when > before) {
          before = when;
        }
      }
      const double wait = within(latest - mine, length);
      told[r].inside += length;
      told[r].waited += wait;
      told[whose].saved += wait - within(before - mine, wait);
      caused[whose] += wait;
    }
    int most = 0;
    for (int r = 0; r < n; r++) {
      told[r].caused += caused[r];
      if (caused[r] > caused[most]) most = r;
    }
    told[most].last += caused[most] > 0;
  }
  for (int r = 0; own == 0 && r < n; r++) {
    printf("%s %s %d %d %.9f %.9f %.9f %.9f %d\n", procedure, name, world[r], calls, told[r].inside, told[r].waited,
           told[r].caused, told[r].saved, told[r].last);
  }
  free(told);
  free(caused);
  if (own == 0) fflush(stdout);
  free(all_came);
  free(all_entered);
  free(all_left);
  free(world);
  MPI_Comm_free(&quiet);
  calls = 0;
}

// A late process sleeps: it doesn't need the processor that the others may wait on.
static void late(int is_late, int us) {
  if (is_late) usleep((useconds_t)us);
}

static int x[64], y[64];
static int counts[64], places[64];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; i++) counts[i] = 1, places[i] = i;
  MPI_Comm together;
  MPI_Comm_dup(MPI_COMM_WORLD, &together);
  for (int a = 1; a < argc; a++) {
    const char *step = argv[a];
    MPI_Barrier(together);
#define STEP(name) (strcmp(step, name) == 0)
#define REPEAT(n, is_late, call) REPEAT_LATE_BY(LATE_US, n, is_late, call)
#define REPEAT_LATE_BY(us, n, is_late, call) \
  for (int i = 0; i < (n); i++) {            \
    late((is_late), (us));                   \
    come();                                  \
    call;                                    \
    leave();                                 \
  }
#define POST(n, is_late, call)             \
  for (int i = 0; i < (n); i++) {          \
    late((is_late), VERY_LATE_US);         \
    come();                                \
    call;                                  \
    late(1, OVERLAP_US);                   \
    enter();                               \
    MPI_Wait(&request, MPI_STATUS_IGNORE); \
    leave();                               \
  }
    if (STEP("one")) {  // one rank is always late, by more than what else may delay the ranks
      REPEAT_LATE_BY(VERY_LATE_US, 20, rank == 1, MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
      tell("MPI_Allreduce", "W", MPI_COMM_WORLD, ALL, 0);
    } else if (STEP("turns")) {  // another one each time
      REPEAT_LATE_BY(VERY_LATE_US, 24, rank == i % size, MPI_Barrier(MPI_COMM_WORLD));
      tell("MPI_Barrier", "W", MPI_COMM_WORLD, ALL, 0);
    } else if (STEP("root")) {  // the root
      REPEAT(40, rank == 2, MPI_Bcast(x, 4, MPI_INT, 2, MPI_COMM_WORLD));
      tell("MPI_Bcast", "W", MPI_COMM_WORLD, FOR_ROOT, 2);
      REPEAT(40, rank == i % size, MPI_Scatter(x, 1, MPI_INT, y, 1, MPI_INT, i % size, MPI_COMM_WORLD));
      tell("MPI_Scatter", "W", MPI_COMM_WORLD, FOR_ROOT, -1);
      REPEAT(40, rank == 0, MPI_Scatterv(x, counts, places, MPI_INT, y, 1, MPI_INT, 0, MPI_COMM_WORLD));
      tell("MPI_Scatterv", "W", MPI_COMM_WORLD, FOR_ROOT, 0);
    } else if (STEP("others")) {  // all but the root, one of them more
      REPEAT(40, rank == 3, MPI_Reduce(x, y, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
      tell("MPI_Reduce", "W", MPI_COMM_WORLD, FOR_OTHERS, 0);
      REPEAT(40, rank == 1, MPI_Gather(x, 1, MPI_INT, y, 1, MPI_INT, 2, MPI_COMM_WORLD));
      tell("MPI_Gather", "W", MPI_COMM_WORLD, FOR_OTHERS, 2);
      REPEAT(40, rank == 1, MPI_Gatherv(x, 1, MPI_INT, y, counts, places, MPI_INT, 2, MPI_COMM_WORLD));
      tell("MPI_Gatherv", "W", MPI_COMM_WORLD, FOR_OTHERS, 2);
    } else if (STEP("lower")) {
      REPEAT(40, rank == 1, MPI_Scan(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
      tell("MPI_Scan", "W", MPI_COMM_WORLD, FOR_LOWER, 0);
      REPEAT(40, rank == 1, MPI_Exscan(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
      tell("MPI_Exscan", "W", MPI_COMM_WORLD, FOR_LOWER, 0);
    } else if (STEP("all")) {  // the other ones in which everybody waits for everybody
      REPEAT(20, rank == 2, MPI_Allgather(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD));
      tell("MPI_Allgather", "W", MPI_COMM_WORLD, ALL, 0);
      REPEAT(20, rank == 2, MPI_Allgatherv(x, 1, MPI_INT, y, counts, places, MPI_INT, MPI_COMM_WORLD));
      tell("MPI_Allgatherv", "W", MPI_COMM_WORLD, ALL, 0);
      REPEAT(20, rank == 2, MPI_Alltoall(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD));
      tell("MPI_Alltoall", "W", MPI_COMM_WORLD, ALL, 0);
      REPEAT(20, rank == 2, MPI_Alltoallv(x, counts, places, MPI_INT, y, counts, places, MPI_INT, MPI_COMM_WORLD));
      tell("MPI_Alltoallv", "W", MPI_COMM_WORLD, ALL, 0);
      REPEAT(20, rank == 2, MPI_Reduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
      tell("MPI_Reduce_scatter", "W", MPI_COMM_WORLD, ALL, 0);
      REPEAT(20, rank == 2, MPI_Reduce_scatter_block(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
      tell("MPI_Reduce_scatter_block", "W", MPI_COMM_WORLD, ALL, 0);
    } else if (STEP("posted")) {  // rank 1 posts late; all compute before they wait for it
      MPI_Request request;
      POST(20, rank == 1, MPI_Iallreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
      tell("MPI_Iallreduce", "W", MPI_COMM_WORLD, ALL, 0);
      POST(20, rank == 1, MPI_Ibarrier(MPI_COMM_WORLD, &request));
      tell("MPI_Ibarrier", "W", MPI_COMM_WORLD, ALL, 0);
      POST(20, rank == 2, MPI_Ibcast(x, 4, MPI_INT, 2, MPI_COMM_WORLD, &request));
      tell("MPI_Ibcast", "W", MPI_COMM_WORLD, FOR_ROOT, 2);
    } else if (STEP("asked")) {  // rank 1 posts late; the others ask, and then they compute between asking
      MPI_Request requests[2];
      double asking = 0, all_asking[64];  // in the calls between which it computes
      for (int gap = 0; gap < 2; gap++) {
        for (int i = 0; i < 20; i++) {
          late(rank == 1, VERY_LATE_US);
          come();
          if (gap) {
            MPI_Iallgather(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD, requests);
          } else {
            MPI_Iallreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, requests);
          }
          enter();
          for (int done = 0; !done && !gap;) MPI_Test(requests, &done, MPI_STATUS_IGNORE);
          for (int done = 0; !done && gap; late(1, 200)) {
            const double start = now();
            MPI_Test(requests, &done, MPI_STATUS_IGNORE);
            asking += now() - start;
          }
          leave();
        }
        tell(gap ? "MPI_Iallgather" : "MPI_Iallreduce", "W", MPI_COMM_WORLD, ALL, 0);
      }
      MPI_Gather(&asking, 1, MPI_DOUBLE, all_asking, 1, MPI_DOUBLE, 0, together);
      for (int r = 0; rank == 0 && r < size; r++) printf("MPI_Test W %d 20 %.9f 0 0 0 0\n", r, all_asking[r]);
      for (int i = 0; i < 20; i++) {  // one call for two
        late(rank == 1, VERY_LATE_US);
        come();
        MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
        MPI_Ialltoall(x, 1, MPI_INT, y, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
        enter();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        leave();
      }
      tell("MPI_Waitall", "W", MPI_COMM_WORLD, ALL, 0);
    } else if (STEP("neighbours")) {  // of a line; the last rank computes for longer, so each waits for the next one
      MPI_Comm line;
      MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &(int){0}, 0, &line);
      MPI_Comm_set_name(line, "line");
      REPEAT_LATE_BY(VERY_LATE_US, 40, rank == size - 1, MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, line));
      tell("MPI_Neighbor_allgather", "line", line, FOR_NEXT, 0);
      MPI_Request request;
      POST(40, rank == size - 1, MPI_Ineighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, line, &request));
      tell("MPI_Ineighbor_alltoall", "line", line, FOR_NEXT, 0);
      MPI_Comm_free(&line);
    } else if (STEP("graph")) {  // the same by graphs; and a ring in which each gets something from the one before
      MPI_Request request;
      const int before = (rank + size - 1) % size, after = (rank + 1) % size;
      MPI_Comm ring, both;
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &ring);
      MPI_Comm_set_name(ring, "ring");
      REPEAT_LATE_BY(VERY_LATE_US, 20, rank == 1, MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, ring));
      tell("MPI_Neighbor_allgather", "ring", ring, FOR_BEFORE, 0);
      POST(20, rank == 1, MPI_Ineighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, ring, &request));
      tell("MPI_Ineighbor_alltoall", "ring", ring, FOR_BEFORE, 0);
      MPI_Comm_free(&ring);
      int ends[64], edges[128];
      for (int r = 0, n = 0; r < size; ends[r++] = n) {
        if (r) edges[n++] = r - 1;
        if (r < size - 1) edges[n++] = r + 1;
      }
      MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &both);
      MPI_Comm_set_name(both, "both");
      REPEAT_LATE_BY(VERY_LATE_US, 20, rank == 1, MPI_Neighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, both));
      tell("MPI_Neighbor_alltoall", "both", both, FOR_NEXT, 0);
      MPI_Comm_free(&both);
      const int around[2] = {rank ? rank - 1 : 1, rank + 1};
      const int number = rank && rank < size - 1 ? 2 : 1;
      MPI_Comm line;
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, number, around, MPI_UNWEIGHTED, number, around, MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &line);
      MPI_Comm_set_name(line, "line");
      REPEAT_LATE_BY(VERY_LATE_US, 20, rank == size - 1, MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, line));
      tell("MPI_Neighbor_allgather", "line", line, FOR_NEXT, 0);
      MPI_Comm_free(&line);
    } else if (STEP("persistent")) {  // rank 1 starts late; who is odd starts the two in the other order
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
      MPI_Request request, others[2];
      MPI_Allreduce_init(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      POST(40, rank == 1, MPI_Start(&request));
      tell("MPI_Allreduce_init", "W", MPI_COMM_WORLD, ALL, 0);
      MPI_Request_free(&request);
      for (int i = 0; i < 2; i++) {
        MPI_Bcast_init(x + i, 1, MPI_INT, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &others[i]);
      }
      for (int i = 0; i < 20; i++) {
        late(rank == 2, VERY_LATE_US);
        come();
        MPI_Start(&others[rank % 2]);
        MPI_Start(&others[1 - rank % 2]);
        enter();
        MPI_Waitall(2, others, MPI_STATUSES_IGNORE);
        leave();
      }
      tell("MPI_Bcast_init", "W", MPI_COMM_WORLD, FOR_ROOT, 2);
      for (int i = 0; i < 2; i++) MPI_Request_free(&others[i]);
#endif
    } else if (STEP("epochs")) {  // in a ring: each exposes its window to the one before, and puts to the one after
      const int before = (rank + size - 1) % size, after = (rank + 1) % size;
      MPI_Group all, origin, target;
      MPI_Comm_group(MPI_COMM_WORLD, &all);
      MPI_Group_incl(all, 1, &before, &origin);
      MPI_Group_incl(all, 1, &after, &target);
      MPI_Win win;
      MPI_Win_create(x, sizeof x, sizeof x[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_set_name(win, "window");
      for (int ends_late = 0; ends_late < 2; ends_late++) {
        for (int i = 0; i < 20; i++) {
          late(rank == 1 && !ends_late, VERY_LATE_US);  // it exposes its window late, or is late to complete
          if (!ends_late) come();
          MPI_Win_post(origin, 0, win);
          if (!ends_late) enter();
          MPI_Win_start(target, 0, win);
          MPI_Put(y, 1, MPI_INT, after, 0, 1, MPI_INT, win);
          late(rank == 1 && ends_late, VERY_LATE_US);
          MPI_Win_complete(win);
          if (!ends_late) leave();
          if (ends_late) come();
          MPI_Win_wait(win);
          if (ends_late) leave();
          MPI_Barrier(together);
        }
        tell(ends_late ? "MPI_Win_wait" : "MPI_Win_complete", "window", MPI_COMM_WORLD,
             ends_late ? FOR_BEFORE : FOR_AFTER, 0);
      }
      MPI_Win_free(&win);
      MPI_Group_free(&all);
      MPI_Group_free(&origin);
      MPI_Group_free(&target);
    } else if (STEP("fence")) {
      MPI_Win win;
      MPI_Win_create(x, sizeof x, sizeof x[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_set_name(win, "window");
      come();
      MPI_Win_fence(0, win);
      leave();
      REPEAT_LATE_BY(VERY_LATE_US, 20, rank == 1, {
        MPI_Put(y, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        come();
        MPI_Win_fence(0, win);
      });
      tell("MPI_Win_fence", "window", MPI_COMM_WORLD, ALL, 0);
      MPI_Win_free(&win);
    } else if (STEP("file")) {  // a file of one byte for each, in the working directory
      MPI_File file;
      MPI_File_open(MPI_COMM_WORLD, "waiting.file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
      REPEAT_LATE_BY(VERY_LATE_US, 20, rank == 1, MPI_File_write_at_all(file, rank, x, 1, MPI_BYTE, MPI_STATUS_IGNORE));
      tell("MPI_File_write_at_all", "waiting.file", MPI_COMM_WORLD, ALL, 0);
      MPI_File_close(&file);
    } else if (STEP("chain")) {  // 0 computes, 1 waits for it, 2 for 1
      MPI_Comm first, second;
      MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, 0, &first);
      MPI_Comm_split(MPI_COMM_WORLD, rank == 1 || rank == 2 ? 0 : MPI_UNDEFINED, 0, &second);
      if (first != MPI_COMM_NULL) MPI_Comm_set_name(first, "first");
      if (second != MPI_COMM_NULL) MPI_Comm_set_name(second, "second");
      for (int i = 0; i < 20; i++) {
        late(rank == 0, VERY_LATE_US);
        if (first != MPI_COMM_NULL) MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, first);
        if (second != MPI_COMM_NULL) {
          come();
          MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, second);
          leave();
        }
      }
      if (second != MPI_COMM_NULL) tell("MPI_Allreduce", "second", second, ALL, 0);
      if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
      if (second != MPI_COMM_NULL) MPI_Comm_free(&second);
    } else if (STEP("after_message") || STEP("before_message")) {
      // 0 computes; 1 waits for it and 2 for 1, one of them in a collective, the other one for a message.
      const int after = STEP("after_message");
      MPI_Comm pair;
      MPI_Comm_split(MPI_COMM_WORLD, after ? rank > 0 : rank < 2, 0, &pair);
      MPI_Comm_set_name(pair, "pair");
      for (int i = 0; i < 20; i++) {
        late(rank == 0, VERY_LATE_US);
        if (after && rank == 0) MPI_Send(x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (after && rank == 1) MPI_Recv(x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        come();
        if (after ? rank > 0 : rank < 2) MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, pair);
        leave();
        if (!after && rank == 1) MPI_Send(x, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
        if (!after && rank == 2) MPI_Recv(x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      if (after ? rank > 0 : rank < 2) tell("MPI_Allreduce", "pair", pair, ALL, 0);
      calls = 0;
      MPI_Comm_free(&pair);
    } else if (STEP("pingpong")) {  // two streams of as many messages, more than there is room for
      for (int i = 0; i < 3000; i++) {
        if (rank == 0) MPI_Send(x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        if (rank < 2) MPI_Recv(x, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
      }
    } else if (STEP("many")) {  // a loop of four calls, in one of which a rank is late
      for (int i = 0; i < 5000; i++) {
        late(rank == 1 && i % 4 == 3, 1000);
        come();
        MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        leave();
      }
      tell("MPI_Allreduce", "W", MPI_COMM_WORLD, ALL, 0);
    } else if (STEP("stops")) {  // a rank stops twice in many calls
      for (int i = 0; i < 5000; i++) {
        late(rank == 1 && (i == 1234 || i == 4001), 250000);
        come();
        MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        leave();
      }
      tell("MPI_Allreduce", "W", MPI_COMM_WORLD, ALL, 0);
    } else if (STEP("barrier")) {  // what a barrier before each call would have measured
      double before[2] = {0, 0};
      for (int i = 0; i < 40; i++) {
        late(rank == 1, LATE_US);
        const double start = now();
        come();
        MPI_Barrier(MPI_COMM_WORLD);
        leave();
        before[0] += now() - start;
        MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      }
      tell("MPI_Barrier", "W", MPI_COMM_WORLD, ALL, 0);
      double all[64][2];
      MPI_Gather(before, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, together);
      for (int r = 0; rank == 0 && r < size; r++) printf("barrier W %d 40 %.9f 0 0 0 0\n", r, all[r][0]);
    }
  }
  MPI_Comm_free(&together);
  MPI_Finalize();
  return 0;
}
