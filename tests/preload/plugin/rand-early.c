// SPDX-License-Identifier: MIT
// A library that draws by OpenSSL's functions in the resolver of an indirect function: while it is
// being relocated, which is before the libraries in front of it have been.
int RAND_bytes(unsigned char *buf, int n);
int RAND_priv_bytes_ex(void *context, unsigned char *buf, unsigned long n, unsigned strength);

const unsigned char *early_bytes(void);

static unsigned char drawn[64];

static const unsigned char *answer(void)
{
    return drawn;
}

static const unsigned char *failed(void)
{
    return 0;
}

__attribute__((used)) static const unsigned char *(*resolve(void))(void)
{
    return RAND_bytes(drawn, 32) == 1 && RAND_priv_bytes_ex(0, drawn + 32, 32, 256) == 1 ? answer
                                                                                         : failed;
}

static const unsigned char *chosen(void) __attribute__((ifunc("resolve")));

// 64 bytes, or NULL when a draw failed.
const unsigned char *early_bytes(void)
{
    return chosen();
}
