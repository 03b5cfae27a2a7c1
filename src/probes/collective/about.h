// What the probe tells of the job and of the library before it is asked for anything.
#pragma once

// All ranks call it together. Rank 0 writes the files `about` and `offers` of the directory, JSON both. What stands
// against it goes to `line`, of LINE bytes.
void about_write(const char *directory, char *line);
