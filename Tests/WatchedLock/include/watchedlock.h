#ifndef WATCHEDLOCK_H
#define WATCHEDLOCK_H
/// Makes the program that calls it tell the thread sanitizer of each contended lock.
void watchedlock_install(void);
#endif
