// The processors of this node as the kernel describes them, and the processors that this process may use.
#pragma once

#include <stdbool.h>

#include "../common/text.h"

enum { PROCESSORS = 8192 };  // more than a node has

typedef struct {
  unsigned char bits[PROCESSORS / 8];
} Processors;

Processors processors_allowed(void);
bool processors_has(const Processors *processors, int number);
int processors_count(const Processors *processors);

// In Linux list format: 0-3,8
void processors_add_list(const Processors *processors, Text *text);

// All online processors: JSON objects, separated by commas.
void processors_add_online(Text *text);
