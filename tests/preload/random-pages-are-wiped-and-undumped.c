// SPDX-License-Identifier: MIT
// A buffered generator's pages carry two marks in /proc/self/smaps: wf, wiped in a child, and dd,
// left out of core dumps. Two marks need two calls, and marks are set for whole pages: what lies
// beside the state must not be caught by them.
// claim: the pages that hold random state are wiped on fork and not dumped, and no others are
// run: UNCONTEND_RANDOM=drbg
// run: UNCONTEND_RANDOM=vdso
// run: UNCONTEND_RANDOM=auto
// run: UNCONTEND_RANDOM=auto with=no-vdso
#include "lib/brood.h"
#include "lib/maps.h"

struct marks {
    size_t both;
};

static void look(const struct maps_entry *entry, void *arg)
{
    struct marks *marks = arg;
    int wiped = maps_has(entry, "wf"), undumped = maps_has(entry, "dd");
    // The kernel's own: vvar, vdso and the like are never dumped.
    int special = entry->name[0] == '[' && strncmp(entry->name, "[anon", 5) != 0;

    if (!wiped && (!undumped || special))
        return;
    CHECK(wiped && undumped, "%lx-%lx %s has wf %d, dd %d", entry->from, entry->to, entry->name,
          wiped, undumped);
    CHECK(entry->rights[0] == 'r' && entry->rights[1] == 'w' && entry->rights[2] == '-' &&
              entry->rights[3] == 'p',
          "%lx-%lx is %s", entry->from, entry->to, entry->rights);
    CHECK(!special && entry->name[0] != '/', "%lx-%lx is of %s", entry->from, entry->to,
          entry->name);
    marks->both++;
}

// What is not random state is as it was in a child: written to before, in all kinds of memory.
static uint8_t in_data[20000] = {1}, in_bss[20000];
static __thread uint8_t in_tls[20000];

static int untouched(void *arg)
{
    uint8_t *in_heap = arg;

    for (int i = 0; i < 20000; i++)
        CHECK(in_data[i] == 0x5a && in_bss[i] == 0x5a && in_tls[i] == 0x5a && in_heap[i] == 0x5a,
              "byte %d is not what it was before the fork", i);
    return CHECK_PASS;
}

int main(void)
{
    struct pool *pool = pool_new(1 << 16);
    struct brood_neighbour neighbours[4];
    struct marks marks = {0};
    uint8_t *in_heap = malloc(20000);
    const char *engine = getenv("UNCONTEND_RANDOM");

    check_deadline(20);
    CHECK(in_heap, "no memory");
    for (unsigned i = 0; i < 4; i++)
        brood_meet(&neighbours[i], pool, i);
    brood_draw(pool, POOL_PARTY('m', 0));
    memset(in_data, 0x5a, sizeof(in_data));
    memset(in_bss, 0x5a, sizeof(in_bss));
    memset(in_tls, 0x5a, sizeof(in_tls));
    memset(in_heap, 0x5a, 20000);
    maps_visit(getpid(), 1, look, &marks);
    CHECK(marks.both < 20, "%zu mappings for a handful of threads", marks.both);
    // The kernel may lack a vDSO generator, so only this engine is sure to have pages of its own.
    if (engine && strcmp(engine, "drbg") == 0)
        CHECK(marks.both > 0, "no mapping is both wiped on fork and left out of dumps");
    CHECK_IS(check_in_child(untouched, in_heap), CHECK_PASS);
    for (unsigned i = 0; i < 4; i++)
        brood_part(&neighbours[i]);
    return CHECK_PASS;
}
