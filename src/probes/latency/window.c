#include "window.h"

#include <math.h>
#include <mpi.h>
#include <stddef.h>

#include "../common/clock.h"
#include "blocking.h"

enum { MESSAGE = 3, SHORT };  // tags

enum { SMALLEST = 4096, MOST_BYTES = 8 << 20, MOST_MESSAGES = 16, TRIES = 3, SLOW_US = 20000 };

int window_length(int size, double message_us) {
  // Otherwise the rate of single messages would be stored as if it were the rate of many.
  if (size < SMALLEST || message_us > SLOW_US) return 0;
  if (size > MOST_BYTES) return 1;
  return MOST_BYTES / size < MOST_MESSAGES ? MOST_BYTES / size : MOST_MESSAGES;
}

Window window_for(int size, double message_us) { return (Window){size, window_length(size, message_us), TRIES}; }

static void send_short(int partner) { MPI_Send(NULL, 0, MPI_BYTE, partner, SHORT, MPI_COMM_WORLD); }

static void receive_short(int partner, bool yields) {
  blocking_receive(NULL, 0, partner, SHORT, yields, MPI_STATUS_IGNORE);
}

static void wait_all(Window window, MPI_Request *requests, bool yields) {
  for (int i = 0; i < window.length; i++) blocking_wait(&requests[i], yields, MPI_STATUS_IGNORE);
}

// Sends a window as soon as the partner is ready. Returns the time until it has acknowledged, in us.
static double send_window(Window window, int partner, const char *out, bool yields) {
  MPI_Request requests[MOST_MESSAGES];
  receive_short(partner, yields);
  double start = now_us();
  for (int i = 0; i < window.length; i++)
    MPI_Isend(out, window.size, MPI_BYTE, partner, MESSAGE, MPI_COMM_WORLD, &requests[i]);
  wait_all(window, requests, yields);
  receive_short(partner, yields);
  return now_us() - start;
}

// Receives a window. Returns the time from being ready to the last message, in us: one short message and the window, as
// in send_window.
static double receive_window(Window window, int partner, char *in, bool yields) {
  MPI_Request requests[MOST_MESSAGES];
  for (int i = 0; i < window.length; i++)
    MPI_Irecv(in + (ptrdiff_t)i * window.size, window.size, MPI_BYTE, partner, MESSAGE, MPI_COMM_WORLD, &requests[i]);
  double start = now_us();
  send_short(partner);
  wait_all(window, requests, yields);
  double time = now_us() - start;
  send_short(partner);
  return time;
}

static double megabytes_per_second(Window window, double best_us) {
  return (double)window.size * window.length / best_us;
}

Bandwidth window_lead(Window window, int partner, const char *out, char *in, bool yields) {
  if (window.length == 0) return (Bandwidth){NAN, NAN};
  double forward = INFINITY, backward = INFINITY;
  for (int i = 0; i < window.tries; i++) {
    forward = fmin(forward, send_window(window, partner, out, yields));
    backward = fmin(backward, receive_window(window, partner, in, yields));
  }
  return (Bandwidth){megabytes_per_second(window, forward), megabytes_per_second(window, backward)};
}

void window_follow(Window window, int partner, const char *out, char *in, bool yields) {
  for (int i = 0; i < window.tries && window.length > 0; i++) {
    receive_window(window, partner, in, yields);
    send_window(window, partner, out, yields);
  }
}
