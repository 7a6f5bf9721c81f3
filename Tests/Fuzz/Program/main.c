// libFuzzer has its own main, which replaces this one. A program without libFuzzer examines the
// inputs that are named as arguments.
int fuzz_replay(void);

__attribute__((weak)) int main(void) { return fuzz_replay(); }
