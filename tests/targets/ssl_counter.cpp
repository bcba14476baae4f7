// SPDX-License-Identifier: MIT
// The hidden function, in a file of its own as in the library it stands for: so nobody inlines it.
#include "ssl.h"

#include <cstdlib>

namespace bssl
{
namespace
{
class WriteLock
{
  public:
    explicit WriteLock(pthread_rwlock_t *lock) : lock_(lock)
    {
        if (pthread_rwlock_wrlock(lock_) != 0)
            std::abort();
    }
    ~WriteLock()
    {
        if (pthread_rwlock_unlock(lock_) != 0)
            std::abort();
    }

  private:
    pthread_rwlock_t *lock_;
};
} // namespace

void ssl_update_counter(SSL_CTX *ctx, counter_type &counter TARGET_LOCK(bool lock))
{
#ifdef TARGET_ATOMIC
    (void)ctx;
    (void)lock;
    counter.fetch_add(1, std::memory_order_relaxed);
#elif defined(TARGET_OTHER)
    WriteLock held(&ctx->lock);
    counter++;
#else
    if (lock) {
        WriteLock held(&ctx->lock);
        counter++;
    } else {
        counter++;
    }
#endif
}
} // namespace bssl
