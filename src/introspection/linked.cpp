// Only in librankwise_monitoring.so: by this symbol every copy of the runtime knows that the program has been linked
// with it, and may ask for its own counters.
extern "C" {
[[gnu::visibility("default")]] extern const char rankwise_linked;
const char rankwise_linked = 0;
}
