// SPDX-License-Identifier: MIT
// signame.c: which signals a user may name, and how they are shown.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "signame.h"

static void test_names_and_numbers(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int number;
    } rows[] = {
        {"USR1", SIGUSR1},
        {"SIGUSR1", SIGUSR1},
        {"usr2", SIGUSR2},
        {"SigHup", SIGHUP},
        {"10", SIGUSR1},
        {"none", 0},
        {"NONE", 0},
        {"RTMIN", SIGRTMIN},
        {"RTMIN+3", SIGRTMIN + 3},
        {"SIGRTMIN+3", SIGRTMIN + 3},
        {"RTMAX", SIGRTMAX},
        {"RTMAX-1", SIGRTMAX - 1},
        {"64", 64},
        {"RTMIN-1", -EINVAL},
        {"RTMAX+1", -EINVAL},
        {"RTMIN+31", -EINVAL},
        {"RTMIN+", -EINVAL},
        {"RTMIN3", -EINVAL},
        {"0", -EINVAL},
        {"32", -EINVAL},
        {"33", -EINVAL},
        {"65", -EINVAL},
        {"-1", -EINVAL},
        {"1K", -EINVAL},
        {"", -EINVAL},
        {"SIG", -EINVAL},
        {"USR3", -EINVAL},
        {"SIGSIGUSR1", -EINVAL},
        {"KILL", -EPERM},
        {"9", -EPERM},
        {"STOP", -EPERM},
        {"SEGV", -EPERM},
        {"ABRT", -EPERM},
    };
    for (size_t i = 0; i < uc_countof(rows); i++) {
        int r = uc_signame_parse(rows[i].text);
        if (r != rows[i].number)
            fail_msg("'%s': expected %d, got %d", rows[i].text, rows[i].number, r);
    }
}

static void test_shown_names_read_back(void **state)
{
    (void)state;
    for (int n = 0; n <= SIGRTMAX; n++) {
        char b[32] = "";
        struct uc_text t = UC_TEXT(b);
        uc_signame_show(n, &t);
        int r = uc_signame_parse(b);
        if (r != n && r != -EPERM && !(n > SIGSYS && n < SIGRTMIN))
            fail_msg("%d is shown as '%s', which is %d", n, b, r);
        assert_false(t.cut);
        assert_true(t.length < 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_numbers),
        cmocka_unit_test(test_shown_names_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
