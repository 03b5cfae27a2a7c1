"""Settings of an MPI library that can be shipped: Rankwise's file, and the library's made from it."""
