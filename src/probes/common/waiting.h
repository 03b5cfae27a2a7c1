// Waiting for all other ranks between two steps.
#pragma once

#include <stdbool.h>

// Waits until every rank is here. True if one of them wants to stop. A napping rank polls seldom: it leaves its
// processor to the ranks that are being measured, and notices late, by a fraction of its waiting time.
bool wait_for_everybody(bool stop, bool naps);
