// SPDX-License-Identifier: MIT
// Any bytes in place of a function: the decoder never reads past them, and what is proved lies
// within them. The first byte says which counter it is said to be.
#include "fuzz.h"

#include "insn.h"
#include "trace.h"

static const struct uc_action actions[] = {
    {UC_ADD, 4, false, 1, false, 0, 1},  {UC_ADD, 8, false, 0, false, 0x48, 1},
    {UC_SUB, 4, true, 0, true, 0, 1},    {UC_LOAD, 8, false, 0, false, 8, 1},
    {UC_ADD, 4, true, 2, false, 16, 77}, {UC_SUB, 8, false, 5, false, 0, 1},
};

static void decode_all(const uint8_t *code, size_t size)
{
    struct uc_insn insn;

    for (size_t at = 0; at < size; at++) {
        if (uc_insn_decode(code + at, size - at, &insn) == 0) {
            FUZZ(insn.length > 0 && insn.length <= size - at);
            (void)uc_insn_writes_memory(&insn);
        }
    }
    (void)uc_insn_is_endbr(code, size);
}

static void prove_all(const uint8_t *code, size_t size, const struct uc_action *action)
{
    struct uc_suspect s = {.code = code, .size = size, .jump = 5, .action = action};
    struct uc_proof p = {0};

    uc_prove(&s, &p);
    if (p.refusal)
        return;
    FUZZ(p.entry < size && p.call_count <= UC_PROVE_CALLS);
    p.refusal = uc_prove_ways(&s, &p);
    if (!p.refusal)
        p.refusal = uc_trace_objection(&s, &p);
    if (p.refusal)
        return;
    const uint8_t *from = code;
    for (unsigned i = 0; from && i < 4; i++)
        from = uc_prove_rival(&s, &p, code, size, from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    char *code = fuzz_copy(data + 1, size - 1);
    uint8_t *exact = realloc(code, size - 1); // no byte behind the last

    FUZZ(exact != NULL);
    decode_all(exact, size - 1);
    prove_all(exact, size - 1, &actions[data[0] % (sizeof(actions) / sizeof(actions[0]))]);
    free(exact);
    return 0;
}
