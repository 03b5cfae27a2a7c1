#define RANKWISE_FREQUENT
#define RANKWISE_BUILD_ABI mpich
#define RANKWISE_ABI_HEADER "../abi/mpich.h"
#define RANKWISE_TRANSPORTS_HEADER "../hooks/mpich_transports.h"
#include "build.h"
