"""Settings of an MPI library that can be shipped: a file of ours, and the library's own made from it."""
