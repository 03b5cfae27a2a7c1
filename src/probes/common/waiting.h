// Waiting for all other ranks between two steps.
#pragma once

#include <stdbool.h>

// Waits until every rank is here. True if one of them wants to stop. A rank that naps looks seldom: it leaves its
// processor to those that are measured, and notices late, by some of the time that it has waited.
bool wait_for_everybody(bool stop, bool naps);
