// SPDX-License-Identifier: MIT
// Owns the arithmetic of the policy.
#include "bias_policy.h"

#include "poison.h"

enum {
    FAST_TICKS = 12,  // a fast read and unlock, about
    GAIN_UNIT = 1024, // of gain
    MOST_GAIN = 256 * GAIN_UNIT,
    SCORE_UNIT = 16,                                // of score
    MOST_SCORE = 16 * UC_POLICY_WORTH * SCORE_UNIT, // more says nothing about the next time
    SLOWNESS = 8,                                   // of averages: one new value counts an eighth
    OUTLIER = 4,
};

#define GET(field)        atomic_load_explicit(&p->field, memory_order_relaxed)
#define SET(field, value) atomic_store_explicit(&p->field, (value), memory_order_relaxed)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t uc_policy_usual(uint64_t usual, uint64_t took)
{
    if (usual == 0)
        return took;
    took = least(took, usual * OUTLIER);
    return usual - usual / SLOWNESS + took / SLOWNESS + (took > usual);
}

static uint32_t need_of(const struct uc_policy *p)
{
    uint32_t need = GET(need);
    return need ? need : UC_POLICY_FIRST;
}

static void adopt(struct uc_policy *p, uintptr_t lock, uint64_t now)
{
    SET(lock, lock);
    SET(begun, now);
    SET(reads, 0);
    SET(need, 0);
    SET(rival, 0);
    SET(spent, 0);
    SET(gain, 0);
    SET(score, 0);
}

// The owner may be dead: memory that was freed without a destroy. Its fast readers count nothing,
// so the only way to know is to let it earn the place again.
static enum uc_verdict rival_reads(struct uc_policy *p, uint32_t count)
{
    uint32_t rival = GET(rival) + count;
    bool evict = rival >= UC_POLICY_FIRST * UC_POLICY_EVICT;
    SET(rival, evict ? 0 : rival);
    return evict ? UC_VERDICT_EVICT : UC_VERDICT_KEEP;
}

// What biasing the lock now would save, going by the reads since its last write.
static uint32_t gain_of(const struct uc_policy *p, uint64_t reads, uint64_t now)
{
    uint64_t took = now - GET(begun);
    uint64_t spent = 2 * (uint64_t)GET(spent);
    uint64_t saved = spent > FAST_TICKS ? spent - FAST_TICKS : 1;
    return (uint32_t)least(reads * saved * GAIN_UNIT / (took ? took : 1), MOST_GAIN);
}

enum uc_verdict uc_policy_read(struct uc_policy *p, uintptr_t owner, const struct uc_reads *r)
{
    if (owner == r->lock)
        return UC_VERDICT_KEEP;
    if (owner)
        return rival_reads(p, r->count);
    uint32_t seen = GET(reads);
    if (GET(lock) != r->lock) {
        // Several locks in one place: the one with more reads than all others gets it.
        if (seen > r->count) {
            SET(reads, seen - r->count);
            return UC_VERDICT_KEEP;
        }
        adopt(p, r->lock, r->now);
        seen = 0;
    }
    if (seen == 0)
        SET(begun, r->now);
    seen = (uint32_t)least((uint64_t)seen + r->count, UINT32_MAX);
    SET(reads, seen);
    SET(spent, (uint32_t)uc_policy_usual(GET(spent), r->spent));
    if (seen < need_of(p))
        return UC_VERDICT_KEEP;
    SET(gain, gain_of(p, seen, r->now));
    return UC_VERDICT_GIVE;
}

void uc_policy_given(struct uc_policy *p, uintptr_t lock, uint64_t now)
{
    if (GET(lock) != lock)
        adopt(p, lock, now);
    SET(begun, now);
    SET(rival, 0);
    SET(reads, 0);
}

void uc_policy_revoked(struct uc_policy *p, uintptr_t lock, uint64_t now, uint64_t cost)
{
    if (GET(lock) != lock)
        return;
    uint64_t saved = least((now - GET(begun)) / GAIN_UNIT, UINT32_MAX) * GET(gain);
    uint64_t worth = least(saved * SCORE_UNIT / (cost ? cost : 1), MOST_SCORE);
    uint64_t score = GET(score) ? GET(score) : UC_POLICY_WORTH * SCORE_UNIT;
    score = score - score / SLOWNESS + worth / SLOWNESS;
    SET(score, (uint32_t)(score ? score : 1));
    uint64_t need = need_of(p);
    if (score < UC_POLICY_WORTH * SCORE_UNIT)
        need = least(need * UC_POLICY_STEP, UC_POLICY_MOST);
    else
        need = need / UC_POLICY_STEP < UC_POLICY_LEAST ? UC_POLICY_LEAST : need / UC_POLICY_STEP;
    SET(need, (uint32_t)need);
    SET(reads, 0);
}
