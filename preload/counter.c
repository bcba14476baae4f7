// SPDX-License-Identifier: MIT
// Owns the search: at start-up, while there is one thread, and again when a library was loaded.
#include "counter.h"

#include <errno.h>
#include <link.h>
#include <string.h>

#include "libc.h"
#include "place.h"
#include "say.h"
#include "sys.h"
#include "thread.h"
#include "wanted.h"

#include "poison.h"

// Set by libc while no second thread exists. Weak: absent before glibc 2.32.
extern char __libc_single_threaded __attribute__((weak));

// What one search has to know.
struct search {
    const void *caller; // of pthread_rwlock_init; NULL: start-up
    size_t skip;        // objects that were looked at before, at the head of the list
    size_t count;       // objects there are
    bool alone;         // no other thread runs
};

// One object's functions on their way to replacement.
struct batch {
    struct uc_candidate candidate[UC_COUNTER_SLOTS];
    struct uc_place *place[UC_COUNTER_SLOTS];
    size_t count;
};

static struct uc_wanted *wanted;
static size_t wanted_count;
static size_t objects_at_start;
static struct uc_state *shown;
static _Atomic(unsigned long long) generation;
static _Atomic(uint32_t) searcher; // pid; 0: nobody searches

// A search takes the dynamic linker's lock, which its caller may not expect of a lock's making:
// only so often after a dlopen. The first one that comes after the mapping finds what was loaded.
enum { SEARCHES = 256 };
static _Atomic(uint32_t) searches_left;
static _Atomic(bool) stopped;

void *const *uc_counter_news;

static bool holds(const struct uc_object *o, const void *address)
{
    for (size_t i = 0; i < o->segment_count; i++) {
        const Elf64_Phdr *p = &o->segments[i];
        if (p->p_type == PT_LOAD && (uintptr_t)address - (o->base + p->p_vaddr) < p->p_memsz)
            return true;
    }
    return false;
}

// Another thread may be inside the function's first bytes, unless there is none, or the object
// makes its first lock just now, or is known to count under such locks alone.
static bool is_quiet(const struct uc_wanted *w, const struct uc_object *o,
                     const struct search *search)
{
    return search->alone || (w->known && w->known->guarded) ||
           (search->caller && holds(o, search->caller));
}

static void refuse(struct uc_wanted *w, const struct uc_object *o, const struct search *search,
                   const char *why)
{
    struct uc_place *p = uc_place_take(w, o);
    if (p)
        uc_place_settle(p, why, 0, search->caller != NULL);
}

// No such function in an object that fits. A known library's is worth a word when it is there for
// certain, unless a SPEC that stands for it was `located`; a user's is told at the end, when no
// object had it.
static void miss(struct uc_wanted *w, const struct uc_object *o, const struct search *search,
                 const struct uc_tables *tables, bool absent, size_t located)
{
    const struct uc_known *k = w->known;
    struct uc_elf_symbol symbol;
    const char *unused;
    if (!k)
        return;
    if (!absent && k->atomic && uc_locate(tables, k->atomic, &symbol, &unused) != -ENOENT)
        refuse(w, o, search, uc_prove_atomic);
    else if (!absent)
        refuse(w, o, search, uc_known_stranger);
    else if (!tables->file->symtab.at && !tables->debug && located == 0 &&
             uc_object_exports(o, k->landmark))
        refuse(w, o, search, uc_known_hidden);
}

static int locate(const struct uc_spec *spec, const struct uc_tables *tables,
                  struct uc_elf_symbol *symbol, const char **refusal)
{
    if (spec->location.size)
        return uc_locate_given(tables, spec->symbol, &spec->location, symbol, refusal);
    return uc_locate(tables, spec->symbol, symbol, refusal);
}

static void look_for(struct uc_wanted *w, const struct uc_object *o, const struct search *search,
                     const struct uc_tables *tables, struct batch *batch)
{
    struct uc_elf_symbol symbol = {0};
    const char *refusal = NULL;
    // One pass over a large program's symbols, not several.
    bool given = w->spec.location.size > 0;
    bool absent = !given && w->known && !uc_locate_prefix(tables, w->known->prefix);
    if (absent || locate(&w->spec, tables, &symbol, &refusal) == -ENOENT) {
        if (!given)
            miss(w, o, search, tables, absent, batch->count);
        return;
    }
    struct uc_place *p = uc_place_take(w, o);
    if (!p)
        return;
    if (!refusal && !is_quiet(w, o, search))
        refusal = "loaded while threads run: may be in use";
    batch->place[batch->count] = p;
    batch->candidate[batch->count++] = (struct uc_candidate){
        .action = &w->spec.action,
        .symbol = symbol,
        .trusted = w->known && w->known->guarded,
        .refusal = refusal,
    };
}

static void replace(const struct uc_object *o, const struct search *search,
                    const struct uc_tables *tables, struct batch *batch)
{
    uc_replace_prove(o, tables, batch->candidate, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        struct uc_candidate *c = &batch->candidate[i];
        struct uc_stub_count where = uc_place_count(batch->place[i]);
        if (!c->refusal)
            uc_replace_write(o, tables, c, &where, &batch->place[i]->replacement);
        uc_place_settle(batch->place[i], c->refusal, c->error, search->caller != NULL);
    }
}

static const char *opening_error(int error)
{
    return error == -ESTALE || error == -ENOEXEC ? "its file is not the one that was loaded"
           : error == -EBADMSG                   ? "its file is damaged"
                                                 : "its file cannot be read";
}

// Many a stripped program has locks, and its debug file may be large: not without a good reason.
static bool deserves_debug_file(const struct uc_object *o, struct uc_wanted *const fitting[],
                                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct uc_known *k = fitting[i]->known;
        if (!fitting[i]->spec.location.size && (!k || uc_object_exports(o, k->landmark)))
            return true;
    }
    return false;
}

static void search_object(const struct uc_object *o, const struct search *search,
                          struct uc_wanted *const fitting[], size_t count)
{
    struct uc_file file;
    struct uc_file debug = {0};
    int error = uc_object_open(o, &file);
    if (error < 0) {
        for (size_t i = 0; i < count; i++) {
            const struct uc_known *k = fitting[i]->known;
            if (!k || uc_object_exports(o, k->landmark))
                refuse(fitting[i], o, search, opening_error(error));
        }
        return;
    }
    struct uc_tables tables = {.file = &file.elf};
    if (!file.elf.symtab.at && deserves_debug_file(o, fitting, count) &&
        uc_object_open_debug(o, &file, &debug) == 0)
        tables.debug = &debug.elf;
    static struct batch batch; // the caller's stack may be a small one
    batch.count = 0;
    for (size_t i = 0; i < count; i++)
        look_for(fitting[i], o, search, &tables, &batch);
    replace(o, search, &tables, &batch);
    uc_file_close(&debug);
    uc_file_close(&file);
}

static bool is_named(const struct uc_wanted *w, const struct uc_object *o)
{
    const char *glob = w->spec.object;
    return *glob ? uc_text_glob(glob, uc_place_object_name(o)) : o->index == 0;
}

// What is in memory is enough to tell: no file is read for it.
static bool imports(const void *object, const char *name)
{
    return uc_object_imports(object, name);
}

static bool visit(const struct uc_object *o, void *arg)
{
    struct search *search = arg;
    search->count++;
    bool has_file = o->index == 0 || strchr(o->path, '/'); // the vDSO has none
    if (o->index < search->skip || !has_file || holds(o, &uncontend_root))
        return true;
    struct uc_wanted *fitting[UC_WANTED_MOST];
    size_t count = 0;
    for (size_t i = 0; i < wanted_count; i++) {
        struct uc_wanted *w = &wanted[i];
        if (is_named(w, o) && !uc_place_is_settled(w, o) &&
            (!w->known || uc_known_fits(w->known, imports, o)))
            fitting[count++] = w;
    }
    if (count > 0)
        search_object(o, search, fitting, count);
    return true;
}

struct namesake {
    const struct uc_wanted *wanted;
    bool loaded;
};

static bool check_name(const struct uc_object *o, void *arg)
{
    struct namesake *n = arg;
    n->loaded = is_named(n->wanted, o);
    return !n->loaded;
}

// A function that the user named and that no object of that name has.
static void tell_missing(bool late)
{
    for (size_t i = 0; i < wanted_count; i++) {
        struct uc_wanted *w = &wanted[i];
        const struct uc_spec *s = &w->spec;
        if ((w->known && !s->location.size) || w->found || w->told)
            continue;
        struct namesake n = {.wanted = w};
        uc_object_each(check_name, &n, NULL);
        w->told = n.loaded;
        if (n.loaded && s->location.size)
            uc_say("UNCONTEND_COUNTERS: '%s:%s=%s': location: no such object is of that build; "
                   "ignored",
                   s->object, s->symbol, s->action_text);
        else if (n.loaded)
            uc_say("UNCONTEND_COUNTERS: '%s:%s=%s': symbol: there is no such function; ignored",
                   s->object, s->symbol, s->action_text);
        else if (!late)
            uc_say_verbose("counters: %s:%s: no such object is loaded yet", s->object, s->symbol);
    }
}

static bool is_alone(bool otherwise)
{
    return &__libc_single_threaded ? __libc_single_threaded != 0 : otherwise;
}

// The dynamic linker is the last object that a program starts with, and is never unloaded: what is
// loaded later hangs behind it.
static void *const *place_of_news(void)
{
    static void *const always = &wanted;
    const struct r_debug *objects = uc_libc_objects();
    const struct link_map *last = objects ? objects->r_map : NULL;
    while (last && last->l_next)
        last = last->l_next;
    if (!last || last->l_addr != objects->r_ldbase)
        return &always;
    return (void *const *)&last->l_next;
}

static void describe(struct uc_state *state)
{
    size_t active;
    size_t refused;
    uc_place_tally(&active, &refused);
    struct uc_text reason = UC_TEXT(state->reason);
    state->reason[0] = '\0';
    (void)uc_text_copy(state->name, sizeof state->name, active ? "on" : "none");
    if (refused)
        uc_text_add(&reason, "%zu replaced, %zu left alone", active, refused);
    else if (!active)
        uc_text_add(&reason, "none of the known functions is in this program");
}

void uc_counter_stop(void)
{
    stopped = true;
    atomic_store_explicit(&searches_left, 0, memory_order_relaxed);
}

// The child of a process with threads: one of them may have had the dynamic linker's lock.
static void forked(struct uc_thread *self)
{
    (void)self;
    if (!is_alone(false))
        uc_counter_stop();
}

void uc_counter_start(const struct uc_options *options, struct uc_state *state)
{
    (void)uc_text_copy(state->name, sizeof state->name, "off");
    const char *obstacle = !UC_GLIBC             ? "taken over under glibc alone"
                           : !uc_stub_possible() ? "not on this kind of CPU"
                                                 : uc_object_race_detector();
    if (obstacle) {
        (void)uc_text_copy(state->reason, sizeof state->reason, obstacle);
        return;
    }
    wanted = uc_wanted_read(options->counters, &wanted_count);
    if (!wanted) {
        (void)uc_text_copy(state->reason, sizeof state->reason, "UNCONTEND_COUNTERS is off");
        return;
    }
    if (uc_wanted_left_out() && options->strict)
        (void)UC_SYS1(SYS_exit_group, UC_EXIT_BAD_SETTING);
    struct search search = {.alone = is_alone(true)};
    unsigned long long now;
    uc_object_each(visit, &search, &now);
    atomic_store_explicit(&generation, now, memory_order_relaxed);
    objects_at_start = search.count;
    tell_missing(false);
    shown = state;
    describe(state);
    if (wanted_count > 0)
        uc_counter_news = place_of_news();
    uc_thread_on_fork(forked);
}

// A fork's child may inherit the mark of a searcher that it does not have.
static void enter(void)
{
    uint32_t self = (uint32_t)uc_sys_getpid();
    uint32_t other = 0;
    // Acquire: pairs with leave().
    while (!atomic_compare_exchange_strong_explicit(&searcher, &other, self, memory_order_acquire,
                                                    memory_order_relaxed)) {
        if (other != self)
            continue; // take it over
        (void)uc_sys_futex_wait((const uint32_t *)&searcher, self, CLOCK_MONOTONIC, NULL);
        other = 0;
    }
}

static void leave(void)
{
    // Release: pairs with the next searcher's acquire.
    atomic_store_explicit(&searcher, 0, memory_order_release);
    uc_sys_futex_wake_all((const uint32_t *)&searcher);
}

void uc_counter_expect(void)
{
    if (uc_counter_news && !stopped)
        atomic_store_explicit(&searches_left, SEARCHES, memory_order_relaxed);
}

static bool may_search(void)
{
    uint32_t left = atomic_load_explicit(&searches_left, memory_order_relaxed);
    while (left > 0) {
        if (atomic_compare_exchange_weak_explicit(&searches_left, &left, left - 1,
                                                  memory_order_relaxed, memory_order_relaxed))
            return true;
    }
    return false;
}

void uc_counter_look_again(const void *caller)
{
    if (!may_search())
        return;
    // Acquire: pairs with the release below.
    if (uc_object_generation() == atomic_load_explicit(&generation, memory_order_acquire))
        return;
    // Whoever comes second waits: its library must not go on before the search has ended.
    enter();
    struct search search = {
        .caller = caller,
        .skip = objects_at_start,
        .alone = is_alone(false),
    };
    unsigned long long now;
    uc_place_refresh();
    uc_object_each(visit, &search, &now);
    tell_missing(true);
    describe(shown);
    // Release: who sees the new number finds all of its objects looked at.
    atomic_store_explicit(&generation, now, memory_order_release);
    leave();
}
