// SPDX-License-Identifier: MIT
// Owns the proof. Each refusal answers a way in which a rewritten entry has gone wrong elsewhere.
#include "prove.h"

#include <string.h>

#include "field.h"

#include "poison.h"

const char uc_prove_atomic[] = "already atomic";

enum { ENDBR = 4, RIVAL_LENGTH = 48, LARGEST = 512 };

// What one pass over the instructions finds.
struct findings {
    bool undecodable, into_entry, computed_jump, lock_prefix, calls_much;
    bool offset_seen;
    bool seen[UC_EFFECT_OTHER + 1]; // effects
};

// Places that something jumps to, a bit each.
struct targets {
    uint64_t bits[LARGEST / 64];
};

static bool is_target(const struct targets *t, size_t at)
{
    return t->bits[at / 64] >> at % 64 & 1;
}

static bool leaves(const struct uc_insn *i)
{
    return i->kind == UC_INSN_CALL || i->kind == UC_INSN_JUMP;
}

static bool ends_way(const struct uc_insn *i)
{
    return i->kind == UC_INSN_JUMP || i->kind == UC_INSN_RETURN || i->kind == UC_INSN_TRAP ||
           i->kind == UC_INSN_INDIRECT;
}

static bool is_relative(const struct uc_insn *i)
{
    return i->refers && !i->memory;
}

static bool is_inside(const struct uc_suspect *s, int64_t to)
{
    return to >= 0 && to < (int64_t)s->size;
}

static struct uc_call *call_to(struct uc_proof *p, int64_t to)
{
    for (size_t n = 0; n < p->call_count; n++) {
        if (p->calls[n].to == to)
            return &p->calls[n];
    }
    return NULL;
}

// False: there are too many.
static bool note_call(struct uc_proof *p, int64_t to, bool through_slot)
{
    if (call_to(p, to))
        return true;
    if (p->call_count == UC_PROVE_CALLS)
        return false;
    p->calls[p->call_count++] = (struct uc_call){.to = to, .through_slot = through_slot};
    return true;
}

// Where branches lead, and whether all of it can be read.
static void find_targets(const struct uc_suspect *s, size_t entry, struct targets *t,
                         struct findings *f)
{
    struct uc_insn i;
    for (size_t at = entry; at < s->size; at += i.length) {
        if (uc_insn_decode(s->code + at, s->size - at, &i) < 0) {
            f->undecodable = true;
            return;
        }
        int64_t to = (int64_t)at + i.reference;
        if (!is_relative(&i) || !is_inside(s, to))
            continue;
        t->bits[to / 64] |= (uint64_t)1 << to % 64;
        f->into_entry |= to > (int64_t)entry && to < (int64_t)(entry + s->jump);
    }
}

static void examine(const struct uc_suspect *s, struct uc_proof *p, struct findings *f)
{
    struct targets targets = {0};
    struct uc_field field = {.action = s->action, .age = UC_RESULT_OLD};
    struct uc_insn i;
    bool cut = false; // nothing falls through from the instruction before
    uc_field_enter(&field);
    find_targets(s, p->entry, &targets, f);
    for (size_t at = p->entry; at < s->size && !f->undecodable; at += i.length) {
        (void)uc_insn_decode(s->code + at, s->size - at, &i);
        int64_t to = (int64_t)at + i.reference;
        f->computed_jump |= i.kind == UC_INSN_INDIRECT || (i.kind == UC_INSN_CALL && !i.refers);
        f->lock_prefix |= i.lock;
        f->seen[uc_field_step(&field, &i, cut || is_target(&targets, at))] = true;
        bool outside = i.refers && !is_inside(s, to);
        if ((leaves(&i) || i.kind == UC_INSN_BRANCH) && outside && !note_call(p, to, i.memory))
            f->calls_much = true;
        cut = ends_way(&i);
    }
    f->offset_seen = field.offset_seen;
}

// Somebody's hook stands here: a jump, direct or through memory, a breakpoint, or push and return.
static bool is_hook(const uint8_t *code)
{
    static const uint8_t movabs_jmp[] = {0x49, 0xbb};
    return code[0] == 0xe9 || code[0] == 0xeb || code[0] == 0xcc || code[0] == 0x68 ||
           (code[0] == 0xff && code[1] == 0x25) || memcmp(code, movabs_jmp, 2) == 0;
}

static const char *objection(const struct uc_suspect *s, const struct findings *f)
{
    bool load = s->action->operation == UC_LOAD;
    if (f->undecodable)
        return "holds an instruction that is not known";
    if (f->into_entry)
        return "a branch leads into its first bytes";
    if (f->computed_jump)
        return "holds a jump or call whose target is not known";
    if (f->lock_prefix)
        return uc_prove_atomic;
    if (!f->offset_seen)
        return "no instruction of it uses that offset";
    if (f->seen[UC_EFFECT_WRONG] || f->seen[UC_EFFECT_SETS])
        return load ? "changes the counter" : "changes the counter in another way";
    if (!f->seen[load ? UC_EFFECT_LOADS : UC_EFFECT_ADDS])
        return load ? "does not load from there" : "does not add to a counter there";
    if (f->seen[UC_EFFECT_OTHER])
        return load ? "does more than to load" : "changes more than the counter";
    return f->calls_much ? "calls more than a lock and its unlock" : NULL;
}

void uc_prove(const struct uc_suspect *s, struct uc_proof *p)
{
    *p = (struct uc_proof){.entry = uc_insn_is_endbr(s->code, s->size) ? ENDBR : 0};
    if (s->size >= p->entry + 2 && is_hook(s->code + p->entry)) {
        p->refusal = "its first instruction is a jump: already hooked";
        return;
    }
    if (s->size < p->entry + s->jump) {
        p->refusal = "shorter than a jump";
        return;
    }
    if (s->size > LARGEST) {
        p->refusal = "too long to be a counter";
        return;
    }
    struct findings f = {0};
    examine(s, p, &f);
    p->refusal = objection(s, &f);
}

// What has happened on a way so far, with what would be returned in the bits above. A way is
// followed once for each of these states.
enum { LOCKED = 1, ACTED = 2, UNLOCKED = 4, RESULT = 8, STATES = 5 * RESULT, WRONG = 64 };

struct ways {
    const struct uc_suspect *s;
    struct uc_proof *p;
    uint8_t effect[LARGEST]; // of the instruction there
    uint8_t result[LARGEST];
    uint64_t todo[LARGEST]; // states in which a way comes there, a bit each
    uint64_t been[LARGEST];
    size_t first; // todo is empty before
    bool fails, returns_other;
};

static void go(struct ways *w, int64_t to, unsigned state)
{
    if (to >= (int64_t)w->s->size || to < 0 || state & WRONG) {
        w->fails = true;
        return;
    }
    uint64_t bit = (uint64_t)1 << state & ~w->been[to];
    w->been[to] |= bit;
    w->todo[to] |= bit;
    if (bit && (size_t)to < w->first)
        w->first = (size_t)to;
}

static unsigned after_effect(const struct ways *w, size_t at, unsigned state)
{
    bool load = w->s->action->operation == UC_LOAD;
    if (w->result[at] != UC_RESULT_KEPT)
        state = state % RESULT + w->result[at] * RESULT;
    if (w->effect[at] != (load ? UC_EFFECT_LOADS : UC_EFFECT_ADDS))
        return state;
    // A load may be made twice; what was unlocked must not be touched again.
    if (state & UNLOCKED || (!load && state & ACTED))
        return WRONG;
    return state | ACTED;
}

// The first two that return are the lock and the unlock.
static unsigned after_call(const struct ways *w, const struct uc_call *call, unsigned state)
{
    if (state & WRONG)
        return WRONG;
    state = state % RESULT + UC_RESULT_NOTHING * RESULT;
    if (call == &w->p->calls[0])
        return state & (LOCKED | ACTED) ? WRONG : state | LOCKED;
    return !(state & LOCKED) || state & UNLOCKED ? WRONG : state | UNLOCKED;
}

static void finish(struct ways *w, unsigned state)
{
    const struct uc_action *a = w->s->action;
    bool balanced = !(state & LOCKED) == !(state & UNLOCKED);
    unsigned result = state / RESULT;
    bool load = a->operation == UC_LOAD;
    bool nothing = result == UC_RESULT_KEPT || result == UC_RESULT_NOTHING;
    bool right = result == (a->fetch || load ? UC_RESULT_OLD : UC_RESULT_NEW);
    w->fails |= state & WRONG || !(state & ACTED) || !balanced;
    w->returns_other |= !right && (load || !nothing);
}

// Follows one instruction of a way.
static void step(struct ways *w, size_t at, unsigned state)
{
    struct uc_insn i;
    (void)uc_insn_decode(w->s->code + at, w->s->size - at, &i);
    int64_t to = (int64_t)at + i.reference;
    int64_t next = (int64_t)(at + i.length);
    const struct uc_call *call = i.kind == UC_INSN_PLAIN || !i.refers ? NULL : call_to(w->p, to);
    state = after_effect(w, at, state);
    if (i.kind == UC_INSN_TRAP || (call && call->dead_end && i.kind != UC_INSN_BRANCH))
        return;
    if (i.kind == UC_INSN_RETURN)
        finish(w, state);
    else if (i.kind == UC_INSN_JUMP && call)
        finish(w, after_call(w, call, state));
    else if (i.kind == UC_INSN_JUMP)
        go(w, to, state);
    else if (i.kind == UC_INSN_CALL && call)
        go(w, next, after_call(w, call, state));
    else
        go(w, next, state);
    if (i.kind != UC_INSN_BRANCH)
        return;
    if (!call)
        go(w, to, state);
    else if (!call->dead_end)
        finish(w, after_call(w, call, state));
}

static void follow_all(struct ways *w)
{
    w->first = LARGEST;
    go(w, (int64_t)w->p->entry, 0);
    while (w->first < w->s->size && !w->fails) {
        size_t at = w->first;
        uint64_t states = w->todo[at];
        w->todo[at] = 0;
        w->first = at + 1;
        while (states) {
            unsigned state = (unsigned)__builtin_ctzll(states);
            states &= states - 1;
            step(w, at, state);
        }
        while (w->first < w->s->size && !w->todo[w->first])
            w->first++;
    }
}

static void find_effects(struct ways *w)
{
    struct targets targets = {0};
    struct findings unused = {0};
    struct uc_field field = {.action = w->s->action, .age = UC_RESULT_OLD};
    struct uc_insn i;
    bool cut = false;
    find_targets(w->s, w->p->entry, &targets, &unused);
    for (size_t at = w->p->entry; at < w->s->size; at += i.length) {
        (void)uc_insn_decode(w->s->code + at, w->s->size - at, &i);
        w->effect[at] = (uint8_t)uc_field_step(&field, &i, cut || is_target(&targets, at));
        w->result[at] = (uint8_t)field.result;
        cut = ends_way(&i);
    }
}

static void move_dead_ends_last(struct uc_proof *p, size_t *living)
{
    struct uc_call sorted[UC_PROVE_CALLS];
    size_t n = 0;
    for (int dead = 0; dead <= 1; dead++) {
        for (size_t i = 0; i < p->call_count; i++) {
            if (p->calls[i].dead_end == (dead != 0))
                sorted[n++] = p->calls[i];
        }
        if (!dead)
            *living = n;
    }
    memcpy(p->calls, sorted, n * sizeof sorted[0]);
}

const char *uc_prove_ways(const struct uc_suspect *s, struct uc_proof *p)
{
    static struct ways w; // the caller's stack may be a small one
    size_t living = 0;
    w = (struct ways){.s = s, .p = p};
    move_dead_ends_last(p, &living);
    if (living == 0)
        return "takes no lock: nothing to gain";
    if (living == 1)
        return "calls one function: no lock and unlock";
    if (living > 2)
        return "calls more than a lock and its unlock";
    find_effects(&w);
    follow_all(&w);
    if (w.fails)
        return "does not do that once on every way through it";
    return w.returns_other ? "returns something else" : NULL;
}

// From right behind a call of the lock: the counter is added to before the unlock. Where the
// argument alone is the address any field is the counter; then it must be the action itself, with
// nothing called in between.
static bool is_rival(const struct uc_suspect *s, struct uc_proof *p, const uint8_t *at,
                     const uint8_t *end)
{
    struct uc_field field = {.action = s->action, .any_offset = s->action->offset == 0};
    bool acted = false;
    struct uc_insn i;
    for (unsigned n = 0; n < RIVAL_LENGTH && at < end; n++, at += i.length) {
        if (uc_insn_decode(at, (size_t)(end - at), &i) < 0)
            return false;
        const struct uc_call *call =
            leaves(&i) && i.refers ? call_to(p, at + i.reference - s->code) : NULL;
        if (call == &p->calls[1])
            return acted;
        bool other_call = i.kind == UC_INSN_CALL && !field.any_offset;
        if (i.kind != UC_INSN_PLAIN && i.kind != UC_INSN_BRANCH && !other_call)
            return false;
        enum uc_effect effect = uc_field_step(&field, &i, false);
        acted |= i.width == s->action->width && effect == UC_EFFECT_ADDS;
        if (!field.any_offset && i.width == s->action->width &&
            (effect == UC_EFFECT_ADDS || effect == UC_EFFECT_WRONG))
            return true;
    }
    return false;
}

const uint8_t *uc_prove_rival(const struct uc_suspect *s, struct uc_proof *p, const uint8_t *text,
                              size_t text_size, const uint8_t *from)
{
    if (p->call_count < 2 || s->action->operation == UC_LOAD)
        return NULL;
    const uint8_t *end = text + text_size;
    const uint8_t *target = s->code + p->calls[0].to;
    // The last byte of the opcode: a direct call, or a call through a slot.
    int opcode = p->calls[0].through_slot ? 0x15 : 0xe8;
    const uint8_t *at = from ? from : text;
    while (end - at > 5 && (at = memchr(at, opcode, (size_t)(end - at) - 4)) != NULL) {
        int32_t distance;
        memcpy(&distance, ++at, sizeof distance);
        bool own = at >= s->code && at < s->code + s->size;
        if (!own && at + 4 + distance == target && is_rival(s, p, at + 4, end))
            return at;
    }
    return NULL;
}
