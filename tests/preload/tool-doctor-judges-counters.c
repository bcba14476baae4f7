// SPDX-License-Identifier: MIT
// claim: the doctor says of each counter, without running the program, what the library then does
// with it, and shows readers that lock for nothing.
// plain
// time: 60
#include "lib/target.h"

// The doctor breaks lines at blanks: without any, its words can be looked for.
static void drop_blanks(char *text)
{
    char *to = text;

    for (; *text; text++) {
        if (*text != ' ' && *text != '\n')
            *to++ = *text;
    }
    *to = '\0';
}

static void check(const char *program, const char *counters, const char *said)
{
    static struct target t;
    char wanted[512];

    memset(&t, 0, sizeof(t));
    t.counters = counters;
    target_run(&t, "../../uncontend", (const char *[]){"doctor", program, NULL});
    CHECK(t.status == 0, "doctor %s ended with %d: %s", program, t.status, t.err);
    CHECK(!strstr(t.out, "hits="), "%s was run: %s", program, t.out);
    drop_blanks(t.out);
    snprintf(wanted, sizeof(wanted), "%s", said);
    drop_blanks(wanted);
    CHECK(strstr(t.out, wanted), "doctor %s should say '%s': %s", program, wanted, t.out);
}

static void check_silence(const char *program, const char *unsaid)
{
    static struct target t;

    memset(&t, 0, sizeof(t));
    target_run(&t, "../../uncontend", (const char *[]){"doctor", program, NULL});
    CHECK(t.status == 0 && !strstr(t.out, unsaid), "doctor %s: %s", program, t.out);
}

int main(void)
{
    static const char *const flavors[] = {"gcc-O2", "gcc-Os", "gcc-O3", "gcc-cet", "clang-O2"};

    for (size_t i = 0; i < sizeof(flavors) / sizeof(flavors[0]); i++) {
        char program[64], said[256];

        snprintf(program, sizeof(program), "./ssl-%s", flavors[i]);
        snprintf(said, sizeof(said),
                 "ok libssl-%s.so:bssl::ssl_update_counter would be replaced: add32(arg1)",
                 flavors[i]);
        check(program, "auto", said);
        // Their symbols are exported: no stripping hides them.
        snprintf(program, sizeof(program), "./stripped/ssl-%s", flavors[i]);
        snprintf(said, sizeof(said),
                 "note libssl-%s.so: SSL_CTX_sess_accept, SSL_CTX_sess_hits: load, then lock and "
                 "unlock for nothing: harmless, left alone",
                 flavors[i]);
        check(program, "auto", said);
    }
    check("./ssl-static-gcc-O2", "auto",
          "ok ssl-static-gcc-O2:bssl::ssl_update_counter would be replaced: add32(arg1)");
    check("./ssl-atomic", "auto",
          "note libssl-atomic.so:bssl::ssl_update_counter would be left alone: already atomic");
    check("./ssl-other", "auto",
          "no libssl-other.so:bssl::ssl_update_counter would be left alone: has another signature");
    check("./ssl-stripped", "auto",
          "no libssl-stripped.so:bssl::ssl_update_counter would be left alone: stripped");
    check("./cache-gcc-O2", "libcache*:cache_hit=add64(arg0+0x60)",
          "ok libcache-gcc-O2.so:cache_hit would be replaced: add64(arg0+0x60)");
    check("./cache-gcc-O2", "libcache*:cache_ref=fetch_add32(arg0+0x70)",
          "no libcache-gcc-O2.so:cache_ref would be left alone: other code adds to it");
    check("./mini/cache-gcc-O2", "libcache*:cache_hit=add64(arg0+0x60)",
          "ok libcache-gcc-O2.so:cache_hit would be replaced: add64(arg0+0x60); found in "
          ".gnu_debugdata");
    check("./stripped/cache-gcc-O2", "libcache*:cache_hit=add64(arg0+0x60)",
          "no libcache*:cache_hit: there is no such function");
    check("./odd-gcc-O2", "libodd*:odd_short=add32(arg0+0x58)",
          "no libodd-gcc-O2.so:odd_short would be left alone: shorter than a jump");
    // It loads under the lock: not for nothing.
    check_silence("./cache-gcc-O2", "for nothing");
    check("./cache-gcc-O2", "off", "- UNCONTEND_COUNTERS is off");
    return CHECK_PASS;
}
