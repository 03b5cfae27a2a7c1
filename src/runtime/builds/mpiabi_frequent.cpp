#define RANKWISE_FREQUENT
#define RANKWISE_BUILD_ABI mpiabi
#define RANKWISE_ABI_HEADER "../abi/mpiabi.h"
#define RANKWISE_TRANSPORTS_HEADER "../hooks/mpich_transports.h"
#include "build.h"
