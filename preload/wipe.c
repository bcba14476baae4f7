// SPDX-License-Identifier: MIT
// Owns the use of MADV_WIPEONFORK. Must not believe a kernel that accepts everything.
#include "wipe.h"

#include <errno.h>

#include "sys.h"

#include "poison.h"

// For tests in an emulator that hands this advice on to a kernel, and may be believed for once.
#ifdef UC_TRUST_ADVICE
enum { TRUSTED = true };
#else
enum { TRUSTED = false };
#endif

enum { WITNESS_FORKED = 0, WITNESS_HERE = 1, WITNESS_BUSY = 2 };

static int state = -EAGAIN;

// In a wiped page where there is one, so that a child finds WITNESS_FORKED.
static _Atomic(uint32_t) plain_witness = WITNESS_HERE;
static _Atomic(uint32_t) *witness = &plain_witness;

// A page that a fork's child does not have. NULL: in a child, or it could not be had.
static void *only_here;

static void *map_marked(size_t n, int *error)
{
    void *p = uc_sys_mmap(NULL, n, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, error);
    if (p == MAP_FAILED)
        return NULL;
    // Emulators accept any advice and do nothing; ask for one that does not exist.
    *error = !TRUSTED && uc_sys_madvise(p, n, -1) == 0 ? -ENOTSUP
                                                       : uc_sys_madvise(p, n, MADV_WIPEONFORK);
    if (*error < 0) {
        uc_sys_munmap(p, n);
        return NULL;
    }
    (void)uc_sys_madvise(p, n, MADV_DONTDUMP);
    return p;
}

int uc_wipe_start(void)
{
    only_here = uc_sys_mmap(NULL, UC_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, NULL);
    if (only_here == MAP_FAILED || uc_sys_madvise(only_here, UC_PAGE, MADV_DONTFORK) < 0)
        only_here = NULL;
    void *page = map_marked(UC_PAGE, &state);
    if (!page)
        return state;
    witness = page;
    atomic_store_explicit(witness, WITNESS_HERE, memory_order_relaxed);
    state = 0;
    return 0;
}

bool uc_wipe_works(void)
{
    return state == 0;
}

void *uc_wipe_map(size_t n)
{
    int error;
    return uc_wipe_works() ? map_marked(n, &error) : NULL;
}

bool uc_wipe_claim_fork(void)
{
    uint32_t seen = WITNESS_FORKED;
    if (uc_likely(atomic_load_explicit(witness, memory_order_relaxed) != WITNESS_FORKED))
        return false;
    return atomic_compare_exchange_strong_explicit(witness, &seen, WITNESS_BUSY,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

bool uc_wipe_fork_seen(void)
{
    // Acquire: pairs with uc_wipe_fork_done.
    return atomic_load_explicit(witness, memory_order_acquire) == WITNESS_HERE;
}

// 0 here, -ENOMEM in a fork's child, where nothing is mapped; another error says nothing.
// MADV_NORMAL is what the page has already, and unlike mincore's this call is in what filters let a
// service use.
static int ask_only_here(void)
{
    return only_here ? uc_sys_madvise(only_here, UC_PAGE, MADV_NORMAL) : -ENOSYS;
}

bool uc_wipe_was_no_fork(void)
{
    return ask_only_here() == 0;
}

bool uc_wipe_was_fork(void)
{
    return ask_only_here() == -ENOMEM;
}

void uc_wipe_fork_done(bool forked)
{
    if (forked)
        only_here = NULL; // something else may be mapped there from now on
    // Pairs with the acquire of a later claim attempt in this process.
    atomic_store_explicit(witness, WITNESS_HERE, memory_order_release);
}
