// SPDX-License-Identifier: MIT
// claim: whatever a process says of itself, the command hands no control character of its to a
// terminal, and JSON and Prometheus's format stay lines of text
// plain
// link: -rdynamic
#include "lib/tool.h"

#include "stats_abi.h"

// An escape sequence, the same by the second set's byte as UTF-8 and bare, and a name that is none.
#define HOSTILE "\033]0;\007\xc2\x9bm\x9b\x7f\xc3\xa9\n"

// The command finds it by its name.
__attribute__((visibility("default"))) struct uc_root uncontend_root;

static int target(const char *role)
{
    struct uc_root *root = &uncontend_root;
    struct uc_state *states[] = {&root->random, &root->locks, &root->counters, &root->dump_signal,
                                 &root->whole};

    memcpy(root->magic, UC_ROOT_MAGIC, sizeof(UC_ROOT_MAGIC));
    root->abi = UC_STATS_ABI + (strcmp(role, "other") == 0);
    root->size = sizeof(*root);
    root->stat_count = UC_STAT_COUNT;
    root->thread_size = sizeof(struct uc_block);
    root->active = strcmp(role, "passive") != 0;
    root->pid = (uint32_t)getpid();
    strcpy(root->version, HOSTILE);
    strcpy(root->program, HOSTILE HOSTILE);
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
        strcpy(states[i]->name, HOSTILE);
        strcpy(states[i]->reason, HOSTILE " " HOSTILE);
    }
    for (int i = 0; i < 2; i++) {
        strcpy(root->counter[i].what, HOSTILE ":" HOSTILE);
        strcpy(root->counter[i].how, HOSTILE);
        root->counter[i].active = (uint32_t)i;
    }
    tool_wait();
    return CHECK_PASS;
}

static void check_plain(const char *text, const char *role, const char *how)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        int e_acute = c[0] == 0xc3 && c[1] == 0xa9;

        CHECK((*c >= 0x20 && *c < 0x7f) || *c == '\n' || e_acute,
              "%s %s: byte 0x%02x at %ld in: %s", role, how, *c, (long)((const char *)c - text),
              text);
        c += e_acute;
    }
}

int main(int argc, char **argv)
{
    static const char *const roles[] = {"active", "passive", "other"};
    static const char *const forms[] = {"-w1", "-j", "-p"};

    if (argc > 1)
        return target(argv[1]);
    check_deadline(25);
    CHECK_CALL(setenv("UC_TEST_LIB", "", 1)); // the target is its own library
    for (int i = 0; i < 3; i++) {
        int leash;
        pid_t process = tool_start(roles[i], NULL, &leash);

        for (int j = 0; j < 3; j++) {
            int status = TOOL("stat", "-n1", forms[j], tool_number(process));

            CHECK_IS(status, i ? 1 : 0);
            check_plain(tool_out, roles[i], forms[j]);
            check_plain(tool_err, roles[i], forms[j]);
        }
        TOOL("doctor", tool_number(process));
        check_plain(tool_out, roles[i], "doctor");
        check_plain(tool_err, roles[i], "doctor");
        tool_end(process, leash);
    }
    return CHECK_PASS;
}
