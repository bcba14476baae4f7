// SPDX-License-Identifier: MIT
// Owns the steps from a located function to the verdict.
#include "judge.h"

#include <string.h>

#include "insn.h"
#include "trace.h"

#include "poison.h"

// Functions that do not return, as a failed check calls them; or the function's own cold part,
// which holds such calls.
static bool is_dead_end(const char *callee, const char *function)
{
    static const char *const names[] = {
        "abort",           "__assert_fail",    "__stack_chk_fail",
        "__assert",        "__fortify_fail",   "__chk_fail",
        "_Unwind_Resume",  "__cxa_throw",      "__clang_call_terminate",
        "_ZSt9terminatev", "__cxa_bad_typeid", "__assert_perror_fail"};
    size_t n = strlen(function);
    size_t length = strcspn(callee, "@");
    if (strncmp(callee, "_ZSt", 4) == 0 && strstr(callee, "__throw_"))
        return true;
    for (size_t i = 0; i < uc_countof(names); i++) {
        if (strlen(names[i]) == length && memcmp(callee, names[i], length) == 0)
            return true;
    }
    return strncmp(callee, function, n) == 0 && strncmp(callee + n, ".cold", 5) == 0;
}

// A cold part whose name is lost: straight to such a call, or to a trap.
static bool leads_to_end(const struct uc_tables *t, uint64_t value, const char *function)
{
    enum { INSTRUCTIONS = 8 };
    struct uc_insn i;
    for (unsigned n = 0; n < INSTRUCTIONS; n++, value += i.length) {
        struct uc_bytes code = uc_elf_code(t->file, value, UC_INSN_LONGEST);
        if (!code.at || uc_insn_decode(code.at, code.n, &i) < 0)
            return false;
        if (i.kind == UC_INSN_TRAP)
            return true;
        if (i.kind == UC_INSN_CALL && i.refers) {
            const char *callee = uc_locate_callee(t, value + (uint64_t)i.reference, i.memory);
            return callee && is_dead_end(callee, function);
        }
        if (i.kind != UC_INSN_PLAIN)
            return false;
    }
    return false;
}

static void mark_dead_ends(const struct uc_tables *t, struct uc_candidate *c)
{
    for (size_t i = 0; i < c->proof.call_count; i++) {
        struct uc_call *call = &c->proof.calls[i];
        uint64_t to = c->symbol.value + (uint64_t)call->to;
        const char *callee = uc_locate_callee(t, to, call->through_slot);
        call->dead_end = callee ? is_dead_end(callee, c->symbol.name)
                                : !call->through_slot && leads_to_end(t, to, c->symbol.name);
    }
}

const char *uc_judge_one(const struct uc_tables *t, struct uc_candidate *c, size_t jump)
{
    c->suspect = (struct uc_suspect){
        .code = c->code,
        .size = c->symbol.size,
        .jump = jump,
        .action = c->action,
    };
    uc_prove(&c->suspect, &c->proof);
    if (c->proof.refusal)
        return c->proof.refusal;
    mark_dead_ends(t, c);
    const char *refusal = c->trusted ? NULL : uc_prove_ways(&c->suspect, &c->proof);
    if (!refusal && !c->trusted)
        refusal = uc_trace_objection(&c->suspect, &c->proof);
    return refusal ? refusal : uc_locate_company(t, &c->symbol, c->proof.entry + jump);
}

static bool inside(const struct uc_candidate *c, const uint8_t *at)
{
    return !c->refusal && at >= c->code && at < c->code + c->symbol.size;
}

// True when a place that changes c's counter is in none of those that will be replaced.
static bool has_rival(struct uc_candidate *c, const struct uc_candidate *all, size_t count)
{
    const uint8_t *at = NULL;
    while ((at = uc_prove_rival(&c->suspect, &c->proof, c->text.at, c->text.n, at)) != NULL) {
        bool replaced = false;
        for (size_t i = 0; i < count; i++)
            replaced = replaced || inside(&all[i], at);
        if (!replaced)
            return true;
    }
    return false;
}

void uc_judge(const struct uc_tables *t, struct uc_candidate *c, size_t count, size_t jump)
{
    for (size_t i = 0; i < count; i++) {
        if (!c[i].refusal)
            c[i].refusal = uc_judge_one(t, &c[i], jump);
        for (size_t j = 0; j < i && !c[i].refusal; j++) {
            if (!c[j].refusal && c[j].symbol.value == c[i].symbol.value)
                c[i].refusal = "is named twice";
        }
    }
    // One that falls may have been what made a rival of its counter harmless.
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < count; i++) {
            if (c[i].refusal || c[i].trusted || !has_rival(&c[i], c, count))
                continue;
            c[i].refusal = "other code adds to it under its lock (inlined?)";
            again = true;
        }
    }
}
