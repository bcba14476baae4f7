// SPDX-License-Identifier: MIT
// Included last in preload/*.c: a guest must not allocate, print, end its host, or call a name that
// it interposes (it would arrive at itself). A file that needs one of these says so before it
// includes this, by defining UC_ALLOW_<NAME>.
// Cost: nothing at run time.
#ifndef UC_POISON_H
#define UC_POISON_H

// clang-format off
#pragma GCC poison malloc calloc realloc free strdup asprintf
#pragma GCC poison printf fprintf vfprintf puts fputs perror fopen
#pragma GCC poison exit abort assert _exit
#pragma GCC poison getentropy arc4random arc4random_buf arc4random_uniform
#pragma GCC poison pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock
#pragma GCC poison pthread_rwlock_tryrdlock pthread_rwlock_trywrlock
#pragma GCC poison pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
#pragma GCC poison pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
#pragma GCC poison pthread_rwlock_init pthread_rwlock_destroy
#pragma GCC poison signal sigset sysv_signal bsd_signal
#pragma GCC poison prctl dlopen dlmopen dlvsym
// clang-format on

#ifndef UC_ALLOW_GETENV
#pragma GCC poison getenv secure_getenv
#endif
#ifndef UC_ALLOW_SYSCALL
#pragma GCC poison syscall
#endif
#ifndef UC_ALLOW_GETRANDOM
#pragma GCC poison getrandom
#endif
#ifndef UC_ALLOW_SIGACTION
#pragma GCC poison sigaction
#endif

#endif
