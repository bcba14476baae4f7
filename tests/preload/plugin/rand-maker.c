// SPDX-License-Identifier: MIT
// A library that has RAND_bytes and, unlike OpenSSL's, can be unloaded.
#include <string.h>

int RAND_bytes(unsigned char *buf, int n);

int RAND_bytes(unsigned char *buf, int n)
{
    memset(buf, 0x5a, (size_t)n);
    return 1;
}
