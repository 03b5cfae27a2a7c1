// The probe's report on the job and the library, before its first batch.
#pragma once

// All ranks call it together. Rank 0 writes the files `about` and `offers` of the directory, JSON both. An error goes
// to `line`, of LINE bytes.
void about_write(const char *directory, char *line);
