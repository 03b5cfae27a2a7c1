#define RANKWISE_FREQUENT
#define RANKWISE_BUILD_ABI openmpi
#define RANKWISE_ABI_HEADER "../abi/openmpi.h"
#define RANKWISE_TRANSPORTS_HEADER "../hooks/openmpi_pml.h"
#include "build.h"
