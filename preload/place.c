// SPDX-License-Identifier: MIT
// Owns the places' memory: nothing is allocated.
#include "place.h"

#include <string.h>

#include "say.h"
#include "thread.h"

#include "poison.h"

static struct uc_place places[UC_COUNTER_SLOTS];

static struct uc_counter_state *state_of(const struct uc_place *p)
{
    return &uncontend_root.counter[p - places];
}

const char *uc_place_object_name(const struct uc_object *o)
{
    return o->index == 0 ? uncontend_root.program : o->name;
}

static struct uc_place *find_free(const struct uc_wanted *w, const char *what)
{
    struct uc_place *unused = NULL;
    for (size_t i = UC_COUNTER_SLOTS; i-- > 0;) {
        struct uc_place *p = &places[i];
        if (p->wanted == w && !p->loaded && strcmp(state_of(p)->what, what) == 0)
            return p;
        if (!p->wanted)
            unused = p;
    }
    return unused;
}

struct uc_place *uc_place_take(struct uc_wanted *w, const struct uc_object *o)
{
    char what[sizeof state_of(places)->what];
    struct uc_text t = UC_TEXT(what);
    uc_text_add(&t, "%s:%s", uc_place_object_name(o), uc_wanted_title(w));
    w->found = true;
    struct uc_place *p = find_free(w, what);
    if (!p) {
        uc_say_verbose("counters: %s left alone: no more than %d can be replaced", what,
                       (int)UC_COUNTER_SLOTS);
        return NULL;
    }
    p->wanted = w;
    p->base = o->base;
    p->loaded = true;
    (void)uc_text_copy(state_of(p)->what, sizeof what, what);
    return p;
}

void uc_place_settle(const struct uc_place *p, const char *refusal, int error, bool late)
{
    struct uc_counter_state *s = state_of(p);
    struct uc_text how = UC_TEXT(s->how);
    uc_text_add(&how, "%s", refusal ? refusal : p->wanted->spec.action_text);
    if (error < 0)
        uc_text_add(&how, " (error %d)", -error);
    s->active = !refusal;
    if (refusal && !p->wanted->known)
        uc_say("UNCONTEND_COUNTERS: %s left alone: %s", s->what, s->how);
    else if (late) // at start-up all are listed together
        uc_say_verbose("counters: %s %s: %s", s->what, refusal ? "left alone" : "replaced", s->how);
}

bool uc_place_is_settled(const struct uc_wanted *w, const struct uc_object *o)
{
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        if (places[i].wanted == w && places[i].base == o->base && places[i].loaded)
            return true;
    }
    return false;
}

static bool mark_loaded(const struct uc_object *o, void *arg)
{
    (void)arg;
    const char *name = uc_place_object_name(o);
    size_t n = strlen(name);
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        struct uc_place *p = &places[i];
        const struct uc_counter_state *s = state_of(p);
        bool same =
            p->wanted && p->base == o->base && strncmp(s->what, name, n) == 0 && s->what[n] == ':';
        p->loaded |= same && (!s->active || uc_replace_stands(o, &p->replacement));
    }
    return true;
}

void uc_place_refresh(void)
{
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++)
        places[i].loaded = false;
    uc_object_each(mark_loaded, NULL, NULL);
}

// Called by stubs, in threads without a record.
static void enlist(long slot)
{
    struct uc_thread *t = uc_thread_self();
    if (t)
        t->block.counter[slot]++;
    else
        __atomic_fetch_add(&uncontend_root.shared.counter[slot], 1, __ATOMIC_RELAXED);
}

static int32_t from_thread_pointer(const void *variable)
{
    uintptr_t pointer;
#if defined(__x86_64__)
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
#else
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
    return (int32_t)((uintptr_t)variable - pointer);
}

struct uc_stub_count uc_place_count(const struct uc_place *p)
{
    int slot = (int)(p - places);
    return (struct uc_stub_count){
        .record = from_thread_pointer(&uc_tls.thread),
        .in_record =
            (int32_t)offsetof(struct uc_thread, block.counter) + slot * (int32_t)sizeof(uint64_t),
        .enlist = enlist,
        .argument = slot,
    };
}

void uc_place_tally(size_t *active, size_t *refused)
{
    *active = 0;
    *refused = 0;
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++) {
        *active += state_of(&places[i])->active;
        *refused += places[i].wanted && !state_of(&places[i])->active;
    }
}
