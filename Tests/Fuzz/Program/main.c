// libFuzzer brings a main of its own, which takes the place of this one. In a program without it,
// the inputs that are named as arguments are examined.
int fuzz_replay(void);

__attribute__((weak)) int main(void) { return fuzz_replay(); }
