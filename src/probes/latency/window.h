// Bandwidth of a pair: a window of messages at once, first one way, then the other.
#pragma once

#include <stdbool.h>

typedef struct {
  int size;    // of a message, bytes
  int length;  // messages under way at once; 0: no bandwidth is measured
  int tries;   // the best counts
} Window;

typedef struct {
  double forward, backward;  // MB/s, from the leader and to it; NaN if not measured
} Bandwidth;

// The number of messages of a size in a window, given the time of one message (0: not known yet).
int window_length(int size, double message_us);
Window window_for(int size, double message_us);

// The buffers: one message to send, a window of messages to receive. `yields` as in blocking.h.
Bandwidth window_lead(Window window, int partner, const char *out, char *in, bool yields);
void window_follow(Window window, int partner, const char *out, char *in, bool yields);
