#ifndef WATCHEDLOCK_H
#define WATCHEDLOCK_H
/// Makes the calling program report each contended lock to the thread sanitizer.
void watchedlock_install(void);
#endif
