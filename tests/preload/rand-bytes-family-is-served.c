// SPDX-License-Identifier: MIT
// The RAND_bytes family of the installed libcrypto: what it returns is the same whether it is taken
// over or not; only the counter tells.
// claim: RAND_bytes and its family give fresh bytes and OpenSSL's return values, ours when asked for
// run: UNCONTEND_RAND_BYTES=on UNCONTEND_RANDOM=drbg
// run: UNCONTEND_RAND_BYTES=on UNCONTEND_RANDOM=vdso
// run: UNCONTEND_RAND_BYTES=on UNCONTEND_RANDOM=system
// run: UNCONTEND_RAND_BYTES=off
// link: -lcrypto
// cflags: -Wno-deprecated-declarations
#include "lib/check.h"
#include "lib/dump.h"
#include <openssl/rand.h>

enum { FUNCTIONS = 5, SIZES = 6, MOST = 10000 };

static const int sizes[SIZES] = {16, 32, 100, 1000, 1350, MOST};

static int draw(int function, unsigned char *to, int bytes)
{
    switch (function) {
    case 0:
        return RAND_bytes(to, bytes);
    case 1:
        return RAND_priv_bytes(to, bytes);
    case 2:
        return RAND_pseudo_bytes(to, bytes);
    case 3:
        return RAND_bytes_ex(NULL, to, (size_t)bytes, 128);
    default:
        return RAND_priv_bytes_ex(NULL, to, (size_t)bytes, 256);
    }
}

int main(void)
{
    static unsigned char drawn[FUNCTIONS * SIZES][MOST + 1];
    const char *setting = getenv("UNCONTEND_RAND_BYTES");
    const struct uc_root *root = dump_root();
    uint64_t calls;

    CHECK(root != NULL, "the library is not loaded");
    for (int i = 0; i < FUNCTIONS * SIZES; i++) {
        CHECK_IS(draw(i / SIZES, drawn[i], sizes[i % SIZES]), 1);
        CHECK_IS(drawn[i][sizes[i % SIZES]], 0);
        for (int j = 0; j < i; j++)
            CHECK(memcmp(drawn[i], drawn[j], 16) != 0, "draws %d and %d are alike", i, j);
    }
    calls = dump_stat(UC_STAT_RAND_BYTES);
    if (strcmp(setting, "on") == 0 && strcmp(root->random.name, "system") != 0)
        CHECK_IS(calls, FUNCTIONS * SIZES);
    else
        CHECK_IS(calls, 0);
    CHECK_IS(RAND_bytes(drawn[0], 0), 1);
    CHECK_IS(RAND_bytes(drawn[0], -1), 0);
    // More strength than the library has: that is for it to refuse.
    CHECK_IS(RAND_bytes_ex(NULL, drawn[0], 16, 512), 0);
    return CHECK_PASS;
}
