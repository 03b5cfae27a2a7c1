#define RANKWISE_BUILD_ABI openmpi
#define RANKWISE_ABI_HEADER "../abi/openmpi.h"
#include "build.h"
