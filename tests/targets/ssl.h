// SPDX-License-Identifier: MIT
// A stand-in for a TLS library that counts its sessions the way AWS-LC does up to 1.63: a hidden
// C++ function takes the context's write lock to add one to an int. Only that shape is alike.
#ifndef TARGET_SSL_H
#define TARGET_SSL_H

#include <pthread.h>

#ifdef TARGET_ATOMIC
#include <atomic>
typedef std::atomic<int> counter_type;
#else
typedef int counter_type;
#endif

#define API extern "C" __attribute__((visibility("default")))

struct ssl_ctx_st {
    void *method;
    pthread_rwlock_t lock;
    char before[72];
    struct {
        counter_type sess_connect, sess_accept, sess_hit, sess_miss;
    } stats;
};
typedef struct ssl_ctx_st SSL_CTX;

// Of builds that no table knows: one argument less.
#ifdef TARGET_OTHER
#define TARGET_LOCK(ignored)
#else
#define TARGET_LOCK(lock) , lock
#endif

namespace bssl
{
__attribute__((visibility("hidden"))) void
ssl_update_counter(SSL_CTX *ctx, counter_type &counter TARGET_LOCK(bool lock));
}

API SSL_CTX *SSL_CTX_new(void *method);
API void SSL_CTX_free(SSL_CTX *ctx);
API int SSL_CTX_sess_hits(const SSL_CTX *ctx);
API int SSL_CTX_sess_accept(const SSL_CTX *ctx);
// A resumed handshake's share of the counting: one call that locks, one under the caller's lock.
API void target_resume(SSL_CTX *ctx);
API void target_resume_under_lock(SSL_CTX *ctx);

#endif
