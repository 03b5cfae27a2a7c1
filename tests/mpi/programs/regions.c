// Regions inside one another, two ranks. `tree`: the same name inside of two others, recursion, ends out of order;
// `full`: more regions than there is room for, and `deep`: entered inside one another more often than there is room
// for. tests/mpi/test_region_tree.py follows the calls.
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char data[1000];

static void broadcast(int bytes) { MPI_Bcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }

static void enter(const char *name) { MPI_Pcontrol(1, name); }
static void leave(const char *name) { MPI_Pcontrol(-1, name); }

static void tree(int rank) {
  enter("setup");
  broadcast(1);
  enter("exchange");
  broadcast(2);
  usleep(20000);
  leave("exchange");
  usleep(10000);
  leave("setup");

  for (int step = 0; step < 3; step++) {
    enter("solve");
    broadcast(3);
    enter("exchange");
    broadcast(5);
    enter("pack");
    broadcast(7);
    leave("pack");
    leave("exchange");
    leave("solve");
  }

  // Right inside itself: one region. With another one between: a region of its own.
  enter("walk");
  enter("walk");
  broadcast(11);
  usleep(10000);
  enter("step");
  enter("walk");
  broadcast(13);
  enter("step");
  broadcast(17);
  leave("step");
  leave("walk");
  leave("step");
  leave("walk");
  broadcast(19);  // still in the outer entry
  leave("walk");

  // The end of an outer one ends those inside; their own ends then come too late.
  enter("late");
  enter("inner");
  enter("innermost");
  broadcast(23);
  leave("late");
  leave("innermost");
  leave("inner");
  broadcast(29);
  // An end of the middle one.
  enter("late");
  enter("inner");
  enter("innermost");
  leave("inner");
  broadcast(31);
  leave("late");

  // On one rank alone, so that the processes number their regions differently.
  if (rank == 1) {
    enter("only here");
    enter("exchange");
    usleep(1000);
    leave("exchange");
    leave("only here");
  }
  enter("last");
  enter("exchange");
  broadcast(37);
  MPI_Finalize();
}

// 5000 regions inside of "all", of which each has a call; one of them without a record is entered inside itself.
static void full(void) {
  char name[64];
  enter("all");
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof name, "part %d", i);
    enter(name);
    broadcast(1);
    leave(name);
  }
  enter("part 4999");
  enter("part 4999");
  broadcast(2);
  leave("part 4999");
  broadcast(2);
  leave("part 4999");
  broadcast(3);
  leave("all");
  broadcast(4);
  enter("part 0");  // not inside of "all": no room
  broadcast(5);
  leave("part 0");
  MPI_Finalize();
}

// 300 levels, two names in turn.
static void deep(void) {
  for (int i = 0; i < 300; i++) {
    enter(i % 2 ? "odd" : "even");
    broadcast(1);
  }
  for (int i = 299; i >= 0; i--) {
    leave(i % 2 ? "odd" : "even");
    broadcast(2);
  }
  enter("after");
  broadcast(3);
  leave("after");
  // One name 1000 times: one region.
  for (int i = 0; i < 1000; i++) enter("itself");
  broadcast(4);
  for (int i = 0; i < 1000; i++) leave("itself");
  broadcast(5);
  MPI_Finalize();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *what = argc > 1 ? argv[1] : "tree";
  if (strcmp(what, "full") == 0) {
    full();
  } else if (strcmp(what, "deep") == 0) {
    deep();
  } else {
    tree(rank);
  }
  return 0;
}
