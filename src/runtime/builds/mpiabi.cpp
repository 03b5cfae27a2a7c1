#define RANKWISE_BUILD_ABI mpiabi
#define RANKWISE_ABI_HEADER "../abi/mpiabi.h"
#include "build.h"
