#define RANKWISE_BUILD_ABI mpich
#define RANKWISE_ABI_HEADER "../abi/mpich.h"
#include "build.h"
