// SPDX-License-Identifier: MIT
// Owns the steps from a located function to its replacement.
#include "replace.h"

#include <string.h>

#include "patch.h"

#include "poison.h"

static uintptr_t lowest_address(const struct uc_object *o)
{
    uintptr_t lowest = UINTPTR_MAX;
    for (size_t i = 0; i < o->segment_count; i++) {
        if (o->segments[i].p_type == PT_LOAD && o->segments[i].p_vaddr < lowest)
            lowest = o->segments[i].p_vaddr;
    }
    return o->base + lowest;
}

// The loaded segment that holds an address.
static struct uc_bytes segment_at(const struct uc_object *o, const void *address)
{
    for (size_t i = 0; i < o->segment_count; i++) {
        const Elf64_Phdr *p = &o->segments[i];
        uintptr_t from = o->base + p->p_vaddr;
        if (p->p_type == PT_LOAD && (uintptr_t)address - from < p->p_filesz)
            return (struct uc_bytes){.at = (const uint8_t *)from, .n = p->p_filesz};
    }
    return (struct uc_bytes){0};
}

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

static void mark_dead_ends(const struct uc_tables *t, struct uc_candidate *c)
{
    for (size_t i = 0; i < c->proof.call_count; i++) {
        struct uc_call *call = &c->proof.calls[i];
        uint64_t to = c->symbol.value + (uint64_t)call->to;
        const char *callee = uc_locate_callee(t, to, call->through_slot);
        call->dead_end = callee && is_dead_end(callee, c->symbol.name);
    }
}

static const char *prove_one(const struct uc_object *o, const struct uc_tables *t,
                             struct uc_candidate *c, size_t jump)
{
    c->suspect = (struct uc_suspect){
        .code = (const uint8_t *)(o->base + c->symbol.value),
        .size = c->symbol.size,
        .jump = jump,
        .action = c->action,
    };
    if (!uc_object_code_is_original(o, t->file, c->symbol.value, c->symbol.size))
        return "its code differs from its file: already hooked";
    uc_prove(&c->suspect, &c->proof);
    if (c->proof.refusal)
        return c->proof.refusal;
    mark_dead_ends(t, c);
    const char *refusal = c->trusted ? NULL : uc_prove_ways(&c->suspect, &c->proof);
    return refusal ? refusal : uc_locate_company(t, &c->symbol, c->proof.entry + jump);
}

static bool inside(const struct uc_candidate *c, const uint8_t *at)
{
    return !c->refusal && at >= c->suspect.code && at < c->suspect.code + c->suspect.size;
}

// True when a place that changes c's counter is in none of those that will be replaced.
static bool has_rival(const struct uc_object *o, struct uc_candidate *c,
                      const struct uc_candidate *all, size_t count)
{
    struct uc_bytes text = segment_at(o, c->suspect.code);
    const uint8_t *at = NULL;
    while ((at = uc_prove_rival(&c->suspect, &c->proof, text.at, text.n, at)) != NULL) {
        bool replaced = false;
        for (size_t i = 0; i < count; i++)
            replaced = replaced || inside(&all[i], at);
        if (!replaced)
            return true;
    }
    return false;
}

void uc_replace_prove(const struct uc_object *o, const struct uc_tables *t, struct uc_candidate *c,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!c[i].refusal)
            c[i].refusal = prove_one(o, t, &c[i], UC_STUB_NEAR);
        for (size_t j = 0; j < i && !c[i].refusal; j++) {
            if (!c[j].refusal && c[j].symbol.value == c[i].symbol.value)
                c[i].refusal = "is named twice";
        }
    }
    // One that falls may have been what made a rival of its counter harmless.
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < count; i++) {
            if (c[i].refusal || c[i].trusted || !has_rival(o, &c[i], c, count))
                continue;
            c[i].refusal = "other code adds to it under its lock (inlined?)";
            again = true;
        }
    }
}

// Once for all: what is refused to one page is refused to all.
static int patching_works(void)
{
    static int result;
    static bool tried;
    if (!tried)
        result = uc_patch_start();
    tried = true;
    return result;
}

// The stub, in reach of the object where that can be had.
static bool make_stub(const struct uc_object *o, const struct uc_candidate *c,
                      struct uc_replacement *r)
{
    uint8_t stub[UC_STUB_MAX];
    uintptr_t near = lowest_address(o);
    if (r->page && uc_patch_reaches(near, (uintptr_t)r->page))
        return true;
    size_t n = uc_stub_write(stub, c->action, &c->count);
    r->page = uc_patch_page(near, stub, n);
    return r->page != NULL;
}

void uc_replace_write(const struct uc_object *o, const struct uc_tables *t, struct uc_candidate *c,
                      struct uc_replacement *r)
{
    c->error = patching_works();
    if (c->error < 0) {
        c->refusal = "code cannot be changed in this process";
        return;
    }
    if (!make_stub(o, c, r)) {
        c->refusal = "no memory for its replacement";
        return;
    }
    uint8_t *entry = (uint8_t *)(o->base + c->symbol.value + c->proof.entry);
    r->jump_size = uc_stub_jump(r->jump, (uintptr_t)entry, (uintptr_t)r->page);
    if (r->jump_size > UC_STUB_NEAR)
        c->refusal = prove_one(o, t, c, r->jump_size);
    if (c->refusal)
        return;
    c->error = uc_patch_write(entry, r->jump, r->jump_size);
    if (c->error < 0)
        c->refusal = "its page cannot be replaced";
    else
        r->entry = entry;
}

bool uc_replace_stands(const struct uc_object *o, const struct uc_replacement *r)
{
    return r->entry && segment_at(o, r->entry + r->jump_size - 1).at &&
           memcmp(r->entry, r->jump, r->jump_size) == 0;
}
