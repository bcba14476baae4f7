// SPDX-License-Identifier: MIT
// What the stand-in library exports, and the callers of its hidden function.
#include "ssl.h"

#include <new>

SSL_CTX *SSL_CTX_new(void *method)
{
    SSL_CTX *ctx = new (std::nothrow) SSL_CTX();
    if (!ctx)
        return nullptr;
    ctx->method = method;
    pthread_rwlock_init(&ctx->lock, nullptr);
    return ctx;
}

void SSL_CTX_free(SSL_CTX *ctx)
{
    pthread_rwlock_destroy(&ctx->lock);
    delete ctx;
}

// The value is loaded first, so that the lock guards nothing.
static int load_and_lock(const SSL_CTX *ctx, const counter_type &counter)
{
    pthread_rwlock_t *lock = &const_cast<SSL_CTX *>(ctx)->lock;
    int value = counter;
    pthread_rwlock_rdlock(lock);
    pthread_rwlock_unlock(lock);
    return value;
}

int SSL_CTX_sess_hits(const SSL_CTX *ctx)
{
    return load_and_lock(ctx, ctx->stats.sess_hit);
}

int SSL_CTX_sess_accept(const SSL_CTX *ctx)
{
    return load_and_lock(ctx, ctx->stats.sess_accept);
}

void target_resume(SSL_CTX *ctx)
{
    bssl::ssl_update_counter(ctx, ctx->stats.sess_accept TARGET_LOCK(true));
    bssl::ssl_update_counter(ctx, ctx->stats.sess_hit TARGET_LOCK(true));
}

void target_resume_under_lock(SSL_CTX *ctx)
{
#ifdef TARGET_OTHER
    bssl::ssl_update_counter(ctx, ctx->stats.sess_hit);
#else
    pthread_rwlock_wrlock(&ctx->lock);
    bssl::ssl_update_counter(ctx, ctx->stats.sess_hit, false);
    pthread_rwlock_unlock(&ctx->lock);
#endif
}
