/* Knows nothing of MPI. */
int main(void) { return 7; }
