// Ranks on one node that take themselves for ranks on as many as PRETEND_HOSTS says: compile a program with
// -Dgethostname=pretend_gethostname and this file.
#include <stdio.h>
#include <stdlib.h>

int pretend_gethostname(char *name, size_t length) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  const char *rank = NULL, *hosts = getenv("PRETEND_HOSTS");
  for (int i = 0; i < 3 && !rank; i++) rank = getenv(ranks[i]);
  if (!rank || !hosts) return -1;
  return snprintf(name, length, "host \"%d\"", atoi(rank) % atoi(hosts)) < 0;
}
