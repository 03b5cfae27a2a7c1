#define _GNU_SOURCE
#include "waiting.h"

#include <mpi.h>
#include <time.h>

#include "clock.h"

enum { SHORTEST_NAP_US = 100, LONGEST_NAP_US = 1000, SHARE_OF_WAIT = 8, LOOKS = 16 };

// Long waits use long naps: many ranks that poll often would take much of the few processors they share.
static void nap(double waited_us) {
  long nap_us = (long)(waited_us / SHARE_OF_WAIT);
  if (nap_us < SHORTEST_NAP_US) nap_us = SHORTEST_NAP_US;
  if (nap_us > LONGEST_NAP_US) nap_us = LONGEST_NAP_US;
  nanosleep(&(struct timespec){.tv_nsec = nap_us * 1000}, NULL);
}

bool wait_for_everybody(bool stop, bool naps) {
  int mine = stop, any = 0, done = 0;
  MPI_Request request;
  double start = now_us();
  MPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD, &request);
  for (;;) {
    // In some libraries, one poll finishes one stage of the reduction: with a nap after each it would take long.
    for (int look = 0; look < LOOKS && !done; look++) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return any != 0;
    if (naps) nap(now_us() - start);
  }
}
