// SPDX-License-Identifier: MIT
// Owns the x86-64 encoding of stubs.
#if defined(__x86_64__)
#include <string.h>

#include "insn.h"
#include "stub.h"

#include "poison.h"

enum { RAX = 0 };

struct code {
    uint8_t *at;
    size_t n;
};

#define EMIT(c, ...)                                                                               \
    emit((c), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void emit(struct code *c, const uint8_t *bytes, size_t n)
{
    memcpy(c->at + c->n, bytes, n);
    c->n += n;
}

static void emit_value(struct code *c, uint64_t v, size_t bytes)
{
    emit(c, (const uint8_t *)&v, bytes);
}

// REX for an operation of this width with the register rax and one other, in the rm field.
static void emit_rex(struct code *c, unsigned width, unsigned rm)
{
    uint8_t rex = (uint8_t)(0x40 | (width == 8 ? 8 : 0) | rm >> 3);
    if (rex != 0x40)
        emit(c, &rex, 1);
}

// ModRM: rax and the memory at the address argument.
static void emit_memory(struct code *c, const struct uc_action *a)
{
    unsigned base = uc_insn_argument[a->address] & 7;
    EMIT(c, (uint8_t)(0x80 | RAX << 3 | base));
    emit_value(c, (uint32_t)a->offset, 4);
}

// mov amount, rax
static void emit_amount(struct code *c, const struct uc_action *a)
{
    if (!a->amount_is_argument) {
        EMIT(c, 0xb8);
        emit_value(c, (uint32_t)a->amount, 4);
        return;
    }
    unsigned from = uc_insn_argument[a->amount];
    emit_rex(c, a->width, from);
    EMIT(c, 0x8b, (uint8_t)(0xc0 | RAX << 3 | (from & 7)));
}

// rax = rax +/- amount, after the exchange has put the old value there.
static void emit_result(struct code *c, const struct uc_action *a)
{
    bool sub = a->operation == UC_SUB;
    if (a->amount_is_argument) {
        unsigned from = uc_insn_argument[a->amount];
        emit_rex(c, a->width, from);
        EMIT(c, sub ? 0x2b : 0x03, (uint8_t)(0xc0 | RAX << 3 | (from & 7)));
        return;
    }
    emit_rex(c, a->width, RAX);
    EMIT(c, sub ? 0x2d : 0x05);
    emit_value(c, (uint32_t)a->amount, 4);
}

static void emit_action(struct code *c, const struct uc_action *a)
{
    unsigned base = uc_insn_argument[a->address];
    if (a->operation == UC_LOAD) {
        emit_rex(c, a->width, base);
        EMIT(c, 0x8b);
        emit_memory(c, a);
    } else {
        emit_amount(c, a);
        if (a->operation == UC_SUB) {
            emit_rex(c, a->width, RAX);
            EMIT(c, 0xf7, 0xd8); // neg rax
        }
        EMIT(c, 0xf0);
        emit_rex(c, a->width, base);
        EMIT(c, 0x0f, 0xc1); // lock xadd
        emit_memory(c, a);
        if (!a->fetch)
            emit_result(c, a);
    }
    EMIT(c, 0xc3);
}

// The thread has no record: a C function makes one, or counts elsewhere. All registers that C may
// change are kept.
static void emit_enlist(struct code *c, const struct uc_stub_count *count, size_t back)
{
    EMIT(c, 0x57, 0x56, 0x52, 0x51);                         // push rdi, rsi, rdx, rcx
    EMIT(c, 0x41, 0x50, 0x41, 0x51, 0x41, 0x52, 0x41, 0x53); // push r8, r9, r10, r11
    EMIT(c, 0x48, 0x83, 0xec, 0x08);                         // sub 8, rsp: 16-byte alignment
    EMIT(c, 0x48, 0xbf);                                     // mov argument, rdi
    emit_value(c, (uint64_t)count->argument, 8);
    EMIT(c, 0x48, 0xb8); // mov enlist, rax
    emit_value(c, (uintptr_t)count->enlist, 8);
    EMIT(c, 0xff, 0xd0);                                     // call rax
    EMIT(c, 0x48, 0x83, 0xc4, 0x08);                         // add 8, rsp
    EMIT(c, 0x41, 0x5b, 0x41, 0x5a, 0x41, 0x59, 0x41, 0x58); // pop r11, r10, r9, r8
    EMIT(c, 0x59, 0x5a, 0x5e, 0x5f);                         // pop rcx, rdx, rsi, rdi
    EMIT(c, 0xe9);
    emit_value(c, (uint32_t)(back - (c->n + 4)), 4);
}

bool uc_stub_possible(void)
{
    return true;
}

size_t uc_stub_write(uint8_t out[UC_STUB_MAX], const struct uc_action *a,
                     const struct uc_stub_count *count)
{
    struct code c = {.at = out};
    EMIT(&c, 0xf3, 0x0f, 0x1e, 0xfa);       // endbr64
    EMIT(&c, 0x64, 0x48, 0x8b, 0x04, 0x25); // mov fs:record, rax
    emit_value(&c, (uint32_t)count->record, 4);
    EMIT(&c, 0x48, 0x85, 0xc0); // test rax, rax
    EMIT(&c, 0x0f, 0x84);       // jz enlist
    size_t jump = c.n;
    emit_value(&c, 0, 4);
    EMIT(&c, 0x48, 0xff, 0x80); // inc in_record(rax)
    emit_value(&c, (uint32_t)count->in_record, 4);
    size_t counted = c.n;
    emit_action(&c, a);
    uint32_t distance = (uint32_t)(c.n - (jump + 4));
    memcpy(out + jump, &distance, sizeof distance);
    emit_enlist(&c, count, counted);
    return c.n;
}

size_t uc_stub_jump(uint8_t out[UC_STUB_FAR], uintptr_t from, uintptr_t to)
{
    struct code c = {.at = out};
    int64_t distance = (int64_t)(to - (from + UC_STUB_NEAR));
    if (distance == (int32_t)distance) {
        EMIT(&c, 0xe9);
        emit_value(&c, (uint64_t)distance, 4);
    } else {
        EMIT(&c, 0xff, 0x25, 0, 0, 0, 0); // jmp *(rip)
        emit_value(&c, to, 8);
    }
    return c.n;
}
#endif
