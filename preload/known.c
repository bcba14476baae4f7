// SPDX-License-Identifier: MIT
// Owns the rows.
#include "known.h"

#include "compiler.h"

#include "poison.h"

// AWS-LC up to 1.63: void ssl_update_counter(SSL_CTX *, int &counter, bool lock). It takes the
// context's write lock to add one, or relies on a caller who holds it. It is called from other
// source files than its own, and SSL_CTX_new initialises the lock. From 1.64 on the counter is a
// std::atomic<int>.
#define AWS_LC(object)                                                                             \
    {                                                                                              \
        .title = "bssl::ssl_update_counter",                                                       \
        .spec = object ":_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRib=add32(arg1)",               \
        .prefix = "_ZN4bssl18ssl_update_counterE",                                                 \
        .atomic = "_ZN4bssl18ssl_update_counterEP10ssl_ctx_stRSt6atomicIiEb",                      \
        .needs = {"CRYPTO_MUTEX_lock_write", "pthread_rwlock_wrlock"}, .foreign = "SSL_CTX_new",   \
        .landmark = "SSL_CTX_sess_hits", .guarded = true                                           \
    }

const struct uc_known uc_known[] = {
    AWS_LC("libssl*"), // a library of its own
    AWS_LC(""),        // or linked into the program
};

const size_t uc_known_count = uc_countof(uc_known);

bool uc_known_fits(const struct uc_known *k, uc_known_imports *imports, const void *object)
{
    bool needs = false;
    for (size_t i = 0; i < UC_KNOWN_NEEDS && k->needs[i]; i++)
        needs = needs || imports(object, k->needs[i]);
    return needs && !(k->foreign && imports(object, k->foreign));
}
