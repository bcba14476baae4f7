// SPDX-License-Identifier: MIT
// claim: Python loads the library by ctypes, with and without preload, draws by it, forks, and ends
// plain
#include "lib/plain.h"

static char script[] = "import ctypes, os, sys, threading\n"
                       "lib = ctypes.CDLL(sys.argv[1])\n"
                       "def draw():\n"
                       "    b = ctypes.create_string_buffer(32)\n"
                       "    assert lib.getrandom(b, 32, 0) == 32\n"
                       "    return b.raw\n"
                       "got = [draw()]\n"
                       "thread = threading.Thread(target=lambda: got.append(draw()))\n"
                       "thread.start()\n"
                       "thread.join()\n"
                       "r, w = os.pipe()\n"
                       "pid = os.fork()\n"
                       "if pid == 0:\n"
                       "    os.write(w, draw())\n"
                       "    os._exit(0)\n"
                       "got += [os.read(r, 32), draw(), os.urandom(32)]\n"
                       "assert os.waitpid(pid, 0)[1] == 0\n"
                       "assert len(set(got)) == 5 and all(len(b) == 32 for b in got), got\n";

int main(void)
{
    const char *library = plain_library();
    char *const argv[] = {"python3", "-c", script, (char *)library, NULL};

    check_deadline(25);
    for (int preloaded = 0; preloaded < 2; preloaded++) {
        pid_t pid = CHECK_CALL(fork());
        int status;

        if (pid == 0)
            plain_exec(preloaded ? library : NULL, argv);
        status = check_collect(pid);
        if (status == CHECK_SKIPPED)
            return CHECK_SKIPPED;
        CHECK(status == 0, "preloaded %d: python ended with %d", preloaded, status);
    }
    return CHECK_PASS;
}
