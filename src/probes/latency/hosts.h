// The node of each rank, and the properties of the nodes.
#pragma once

#include <stdbool.h>

#include "../common/text.h"

typedef struct {
  int *node;            // of each rank, in the order of their first rank
  char name[256];       // of this rank's node
  int ranks_here;       // on this rank's node
  int processors_here;  // that they may use, all together
  bool oversubscribed;  // some node has more ranks than processors
} Hosts;

// All ranks call it together, and these two.
void hosts_find(Hosts *hosts);
void hosts_gather(const Hosts *hosts, Text *all);        // on rank 0: JSON objects, separated by commas
void hosts_gather_ranks(const Hosts *hosts, Text *all);  // on rank 0: JSON objects, separated by commas
void hosts_free(Hosts *hosts);
