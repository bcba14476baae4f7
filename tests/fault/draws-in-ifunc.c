// SPDX-License-Identifier: MIT
// A library that draws in the resolver of an indirect function, and so while ld.so relocates it:
// the preloads before it are not relocated yet. The test asks early_answer() for the bytes.
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

const uint8_t *early_answer(void);
const uint8_t *early_caller(void);

// Static: the address of anything that is exported is not known yet either.
static uint8_t drawn[512];
static long got;

static const uint8_t *answer(void)
{
    return got == sizeof(drawn) ? drawn : NULL;
}

__attribute__((used)) static const uint8_t *(*resolve(void))(void)
{
    got = getrandom(drawn, sizeof(drawn), 0);
    return answer;
}

const uint8_t *early_answer(void) __attribute__((ifunc("resolve")));

const uint8_t *early_caller(void)
{
    return early_answer();
}
