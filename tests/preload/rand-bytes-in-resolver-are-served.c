// SPDX-License-Identifier: MIT
// claim: a library that draws by RAND_bytes in an IFUNC resolver, before the object in front of
// OpenSSL has been relocated, gets its bytes, and none that come again
// run: UNCONTEND_RAND_BYTES=on UNCONTEND_RANDOM=drbg
// run: UNCONTEND_RAND_BYTES=on UNCONTEND_RANDOM=vdso
// link: -lcrypto
#include "lib/dump.h"
#include <openssl/rand.h>

static int loaded(void)
{
    const unsigned char *(*early)(void) =
        (const unsigned char *(*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "early_bytes");
    unsigned char late[32];
    const unsigned char *bytes;

    check_deadline(10);
    CHECK(early, "the early library is not loaded");
    bytes = early();
    CHECK(bytes, "a draw in the resolver failed");
    CHECK_IS(RAND_bytes(late, sizeof(late)), 1);
    CHECK(memcmp(bytes, bytes + 32, 32) && memcmp(bytes, late, 32), "bytes came again");
    for (int i = 0; i < 64; i += 8)
        CHECK(memcmp(bytes + i, "\0\0\0\0\0\0\0", 8), "zeros at %d", i);
    return CHECK_PASS;
}

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? loaded() : dump_again_with_plugin("rand-early", NULL);
}
