// SPDX-License-Identifier: MIT
// Counts sessions from several threads: ssl_main THREADS CALLS. Prints what was counted, how many
// write locks that took, and what the preloaded library replaced.
#include "ssl.h"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "root.h"

int main(int argc, char **argv)
{
    int threads = argc > 1 ? std::atoi(argv[1]) : 2;
    int calls = argc > 2 ? std::atoi(argv[2]) : 1000;
    SSL_CTX *ctx = SSL_CTX_new(nullptr);
    uint64_t writes = root_sum(UC_STAT_LOCK_WRITE);
    std::vector<std::thread> all;
    pthread_barrier_t begin;
    pthread_barrier_init(&begin, nullptr, static_cast<unsigned>(threads));
    for (int t = 0; t < threads; t++)
        all.emplace_back([=, &begin] {
            pthread_barrier_wait(&begin);
            for (int i = 0; i < calls; i++)
                target_resume(ctx);
        });
    for (auto &t : all)
        t.join();
    writes = root_sum(UC_STAT_LOCK_WRITE) - writes;
    for (int i = 0; i < calls; i++)
        target_resume_under_lock(ctx);
    std::printf("hits=%d accepts=%d writes=%lu calls=%lu replaced=%u wx=%d\n",
                SSL_CTX_sess_hits(ctx), SSL_CTX_sess_accept(ctx),
                static_cast<unsigned long>(writes), static_cast<unsigned long>(root_calls("")),
                root_replaced(), root_writable_code());
    SSL_CTX_free(ctx);
    return 0;
}
