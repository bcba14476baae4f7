// SPDX-License-Identifier: MIT
// Owns the rows.
#include "known.h"

#include <string.h>

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

const char uc_known_stranger[] = "has another signature than the builds that are known";
const char uc_known_hidden[] = "stripped, and no debug file: cannot be found";

const size_t uc_known_count = uc_countof(uc_known);

// The symbol and what follows it, in a row's own text.
const struct uc_known *uc_known_as(const struct uc_spec *spec)
{
    size_t n = strlen(spec->symbol);
    for (size_t i = 0; i < uc_known_count; i++) {
        const char *symbol = strchr(uc_known[i].spec, ':') + 1;
        if (strncmp(symbol, spec->symbol, n) == 0 && symbol[n] == '=' &&
            strcmp(symbol + n + 1, spec->action_text) == 0)
            return &uc_known[i];
    }
    return NULL;
}

bool uc_known_fits(const struct uc_known *k, uc_known_imports *imports, const void *object)
{
    bool needs = false;
    for (size_t i = 0; i < UC_KNOWN_NEEDS && k->needs[i]; i++)
        needs = needs || imports(object, k->needs[i]);
    return needs && !(k->foreign && imports(object, k->foreign));
}
