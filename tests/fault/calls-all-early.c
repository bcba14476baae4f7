// SPDX-License-Identifier: MIT
// A library that calls all that is taken over in the resolver of an indirect function, while the
// preloads before it are not relocated yet, and again in its constructor, which runs before theirs.
// The test asks early_everything() for what came of it.
#include "../preload/lib/everything.h"

const struct everything *early_everything(int constructor);

// Static: the address of anything that is exported is not known yet.
static struct everything in_resolver = {.early = 1}, in_constructor;

static void handler(int number)
{
    (void)number;
}

static const struct everything *answer(int constructor)
{
    return constructor ? &in_constructor : &in_resolver;
}

__attribute__((used)) static const struct everything *(*resolve(void))(int)
{
    everything_call(&in_resolver, handler);
    return answer;
}

static const struct everything *chosen(int constructor) __attribute__((ifunc("resolve")));

const struct everything *early_everything(int constructor)
{
    return chosen(constructor);
}

__attribute__((constructor)) static void call(void)
{
    everything_call(&in_constructor, handler);
    everything_load(&in_constructor);
}
