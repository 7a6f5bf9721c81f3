// Copies of secrets.
#include "clinux.h"

void clinux_copy_secret(void *to, const void *from, size_t count) {
  // The compiler makes no memcpy(3) of volatile accesses, and does not join them.
  volatile unsigned char *target = to;
  const volatile unsigned char *source = from;
  for (size_t i = 0; i < count; i++) target[i] = source[i];
}
