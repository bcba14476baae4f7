// SPDX-License-Identifier: MIT
// Owns the steps from a function that may be replaced to its replacement.
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

void uc_replace_prove(const struct uc_object *o, const struct uc_tables *t, struct uc_candidate *c,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        c[i].code = (const uint8_t *)(o->base + c[i].symbol.value);
        c[i].text = segment_at(o, c[i].code);
        if (!c[i].refusal &&
            !uc_object_code_is_original(o, t->file, c[i].symbol.value, c[i].symbol.size))
            c[i].refusal = "its code differs from its file: already hooked";
    }
    uc_judge(t, c, count, UC_STUB_NEAR);
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
                      const struct uc_stub_count *count, struct uc_replacement *r)
{
    uint8_t stub[UC_STUB_MAX];
    uintptr_t near = lowest_address(o);
    if (r->page && uc_patch_reaches(near, (uintptr_t)r->page))
        return true;
    size_t n = uc_stub_write(stub, c->action, count);
    r->page = uc_patch_page(near, stub, n);
    return r->page != NULL;
}

void uc_replace_write(const struct uc_object *o, const struct uc_tables *t, struct uc_candidate *c,
                      const struct uc_stub_count *count, struct uc_replacement *r)
{
    c->error = patching_works();
    if (c->error < 0) {
        c->refusal = "code cannot be changed in this process";
        return;
    }
    if (!make_stub(o, c, count, r)) {
        c->refusal = "no memory for its replacement";
        return;
    }
    uint8_t *entry = (uint8_t *)(o->base + c->symbol.value + c->proof.entry);
    r->jump_size = uc_stub_jump(r->jump, (uintptr_t)entry, (uintptr_t)r->page);
    if (r->jump_size > UC_STUB_NEAR)
        c->refusal = uc_judge_one(t, c, r->jump_size);
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
