// SPDX-License-Identifier: MIT
// A program loads its TLS library for itself alone, as interpreters do: the library's calls of
// RAND_bytes_ex arrive at ours, but libcrypto is in no scope that ours can see.
// claim: a TLS library that was loaded with RTLD_LOCAL works, taken over or not
// run: UNCONTEND_RAND_BYTES=off
// run: UNCONTEND_RAND_BYTES=on
#include "lib/check.h"
#include "lib/dump.h"
#include <dlfcn.h>

int main(void)
{
    void *ssl = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    const void *(*method)(void);
    void *(*context_new)(const void *);

    if (!ssl)
        SKIP("no libssl.so.3");
    method = (const void *(*)(void))dlsym(ssl, "TLS_method");
    context_new = (void *(*)(const void *))dlsym(ssl, "SSL_CTX_new");
    CHECK(method && context_new, "libssl.so.3 is not OpenSSL's");
    // A context draws the keys of its session tickets.
    CHECK(context_new(method()) != NULL, "SSL_CTX_new failed");
    if (strcmp(getenv("UNCONTEND_RAND_BYTES"), "off") == 0)
        CHECK_IS(dump_stat(UC_STAT_RAND_BYTES), 0);
    else
        CHECK(dump_stat(UC_STAT_RAND_BYTES) > 0, "libssl's calls did not arrive");
    return CHECK_PASS;
}
