// SPDX-License-Identifier: MIT
// A parent that raises children in every way of family.h, each after a part of whatever buffer
// there may be was used; and threads that draw meanwhile. All of it goes into one pool.
#ifndef BROOD_H
#define BROOD_H

#include "draw.h"
#include "family.h"
#include "pool.h"

struct brood_child {
    struct pool *pool;
    uint32_t party;
};

static inline void brood_draw(struct pool *pool, uint32_t party)
{
    uint8_t taste[DRAW_TASTE];

    draw_taste(taste);
    pool_add(pool, party, taste, sizeof(taste));
}

static inline void brood_child_main(void *arg)
{
    struct brood_child *child = (struct brood_child *)arg;

    alarm(10);
    brood_draw(child->pool, child->party);
}

// One child of that way: parent draws an odd length, child draws, parent draws again.
static inline void brood_raise(struct pool *pool, enum family_way way, unsigned number)
{
    uint8_t before[1040];
    size_t odd = POOL_WINDOW + number * 37 % (sizeof(before) - POOL_WINDOW);
    struct brood_child child = {pool, POOL_PARTY('c', number)};
    int status;
    pid_t pid;

    draw((enum draw_function)(number % DRAW_FUNCTIONS), before, odd);
    pool_add(pool, POOL_PARTY('b', number), before, odd);
    pid = family_child(way, brood_child_main, &child);
    brood_draw(pool, POOL_PARTY('p', number));
    status = check_collect(pid);
    CHECK(status == 0, "child %u by %s ended with %d", number, family_names[way], status);
}

// So many children, the ways in turn.
static inline void brood_raise_all(struct pool *pool, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        brood_raise(pool, (enum family_way)(i % FAMILY_WAYS), i);
}

struct brood_neighbour {
    struct pool *pool;
    pthread_t thread;
    unsigned number;
    _Atomic int stop;
};

static inline void *brood_neighbour_main(void *arg)
{
    struct brood_neighbour *self = (struct brood_neighbour *)arg;
    uint8_t drawn[3000];

    for (unsigned i = 0; !atomic_load(&self->stop); i++) {
        size_t bytes = POOL_WINDOW + i * 53 % (sizeof(drawn) - POOL_WINDOW);

        draw((enum draw_function)(i % DRAW_FUNCTIONS), drawn, bytes);
        if (pool_has_room(self->pool))
            pool_add(self->pool, POOL_PARTY('n', self->number), drawn, bytes);
        else
            pool_no_zeros(self->pool, POOL_PARTY('n', self->number), drawn, bytes);
    }
    return NULL;
}

// A thread that draws until brood_part() is called.
static inline void brood_meet(struct brood_neighbour *neighbour, struct pool *pool, unsigned number)
{
    neighbour->pool = pool;
    neighbour->number = number;
    atomic_init(&neighbour->stop, 0);
    neighbour->thread = check_thread(brood_neighbour_main, neighbour);
}

static inline void brood_part(struct brood_neighbour *neighbour)
{
    atomic_store(&neighbour->stop, 1);
    check_join(neighbour->thread);
}

#endif
