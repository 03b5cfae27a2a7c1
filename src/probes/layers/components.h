// Which components of Open MPI carry its messages.
#pragma once

#include <stdio.h>

// Writes lines `pml NAME`, `mtl NAME`, `btl NAME`; none for another MPI library.
void components_write(FILE *file);
