// AddressSanitizer's runtime, if it is a shared library, refuses to start after a preloaded one, which could intercept
// calls that it needs to see. Rankwise intercepts none of those, so the check is turned off, by the function that
// programs can define for this. ASAN_OPTIONS of the user takes precedence.
extern "C" {
// Of its interface (sanitizer/asan_interface.h), which only compilers with the sanitizer have.
[[gnu::visibility("default")]] const char *__asan_default_options();  // NOLINT(bugprone-reserved-identifier)
}

const char *__asan_default_options() { return "verify_asan_link_order=0"; }  // NOLINT(bugprone-reserved-identifier)
