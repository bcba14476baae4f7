// SPDX-License-Identifier: MIT
// Owns the dump. Everything it needs is static, since a handler's stack may be small.
#include "report.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "hot.h"
#include "hotlist.h"
#include "now.h"
#include "origin.h"
#include "say.h"
#include "sys.h"
#include "thread.h"

#include "poison.h"

enum {
    STDERR = 2,
    PIECE = 4096,            // PIPE_BUF: that much is written at once or not at all
    PATIENCE_NS = 100000000, // how long a full pipe may hold the program up, for each piece
    FILE_MODE = 0600,
};

static const char *pattern;
static enum uc_format_choice form;
static char buffer[UC_RENDER_MAX];

// The pid of the process that is writing, so that a fork's child is not held up by a copy of it.
static _Atomic(uint32_t) writer;
static _Atomic(bool) complained;

void uc_report_start(const struct uc_options *o)
{
    pattern = o->dump_file;
    form = (enum uc_format_choice)o->dump_format;
}

static void add_block(struct uc_view *v, const struct uc_block *b)
{
    for (size_t i = 0; i < UC_STAT_COUNT; i++)
        v->stat[i] += __atomic_load_n(&b->stat[i], __ATOMIC_RELAXED);
    for (size_t i = 0; i < UC_COUNTER_SLOTS; i++)
        v->counter[i] += __atomic_load_n(&b->counter[i], __ATOMIC_RELAXED);
}

static void name_hot(struct uc_view *v)
{
    for (size_t i = 0; i < v->hot_count; i++) {
        struct uc_hot_row *h = &v->hot[i];
        struct uc_text lock = UC_TEXT(h->lock_name);
        struct uc_text caller = UC_TEXT(h->caller_name);
        uc_origin_show(h->lock, &lock);
        uc_origin_show(h->caller, &caller);
    }
}

static void add_hot(struct uc_hotlist *l, const struct uc_hot *table)
{
    for (size_t i = 0; i < UC_HOT_SLOTS; i++) {
        struct uc_hot copy;
        if (uc_hot_read(&table[i], &copy))
            uc_hotlist_add(l, &copy);
    }
}

void uc_report_collect(struct uc_view *v)
{
    memset(v, 0, sizeof *v);
    v->root = &uncontend_root;
    v->up = uc_now() - uncontend_root.started;
    add_block(v, &uncontend_root.shared);
    static struct uc_hotlist hot;
    hot.count = 0;
    uint32_t high = uc_thread_high();
    for (uint32_t i = 0; i < high; i++) {
        struct uc_thread *t = uc_thread_at(i);
        if (!t)
            continue;
        add_block(v, &t->block);
        if (t->waited)
            add_hot(&hot, uc_thread_hot(t));
    }
    uc_hotlist_show(&hot, v->up, uc_ticks() - uncontend_root.hot.started_ticks, v);
    name_hot(v);
    uc_view_complete(v);
}

bool uc_report_name(const char *wanted, const struct uc_root *root, struct uc_text *out)
{
    for (const char *p = wanted; *p; p++) {
        if (*p != '%')
            uc_text_add(out, "%c", *p);
        else if (*++p == 'p')
            uc_text_add(out, "%u", root->pid);
        else if (*p == 'e')
            uc_text_add(out, "%s", root->program);
        else if (*p == '%')
            uc_text_add(out, "%%");
        else
            return false;
    }
    return !out->cut && out->length > 0;
}

static const char *error_text(long error)
{
    static const struct {
        int number;
        const char *text;
    } texts[] = {
        {EACCES, "permission denied"},
        {ENOENT, "no such directory"},
        {ELOOP, "it is a symbolic link"},
        {ENOTDIR, "no such directory"},
        {EISDIR, "it is a directory"},
        {ENOSPC, "no space left"},
        {EROFS, "read-only file system"},
        {EDQUOT, "quota exceeded"},
        {EFBIG, "too large"},
        {EMFILE, "too many open files"},
        {ENXIO, "not a regular file"},
        {EPERM, "not permitted"},
        {EMLINK, "it has another name"},
        {EINVAL, "bad name"},
    };
    for (size_t i = 0; i < uc_countof(texts); i++) {
        if (error == -texts[i].number)
            return texts[i].text;
    }
    return "error";
}

// A program must not hang because nobody reads its stderr.
static bool stderr_takes(void)
{
    struct pollfd p = {.fd = STDERR, .events = POLLOUT};
    struct timespec patience = {.tv_nsec = PATIENCE_NS};
    long r = UC_SYS6(SYS_ppoll, &p, 1, &patience, NULL, 0, 0);
    return r > 0 && !(p.revents & (POLLERR | POLLNVAL));
}

// In the place of the dump, which is lost: uc_say has its line on the stack, and a handler's may be
// small.
static void complain(const char *name, long error)
{
    struct uc_text t = UC_TEXT(buffer);
    if (!stderr_takes() || atomic_exchange_explicit(&complained, true, memory_order_relaxed))
        return;
    uc_text_add(&t, "uncontend: cannot write the dump to %s: %s (%d)\n", name, error_text(error),
                (int)-error);
    uc_say_raw(t.at, t.length);
}

// Whatever stands at that name already must be a file of its own: somebody else may have planted
// a link, or a pipe that would hold us up.
static long open_file(const char *name)
{
    struct stat st;
    int fd = uc_sys_open(
        name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        FILE_MODE);
    if (fd < 0)
        return fd;
    long r = UC_SYS2(SYS_fstat, fd, &st);
    if (r == 0 && !S_ISREG(st.st_mode))
        r = -ENXIO;
    if (r == 0 && st.st_nlink > 1)
        r = -EMLINK;
    if (r < 0) {
        (void)uc_sys_close(fd);
        return r;
    }
    return fd;
}

static long write_all(int fd, const char *s, size_t n)
{
    while (n > 0) {
        long r = uc_sys_write(fd, s, n);
        if (r == -EINTR)
            continue;
        if (r <= 0)
            return r < 0 ? r : -ENOSPC;
        s += r;
        n -= (size_t)r;
    }
    return 0;
}

static bool write_file(const struct uc_text *t)
{
    static char bytes[512];
    struct uc_text name = UC_TEXT(bytes);
    if (!uc_report_name(pattern, &uncontend_root, &name)) {
        complain(pattern, -EINVAL);
        return false;
    }
    long fd = open_file(bytes);
    if (fd < 0) {
        complain(bytes, fd);
        return false;
    }
    long r = write_all((int)fd, t->at, t->length);
    (void)uc_sys_close((int)fd);
    if (r < 0)
        complain(bytes, r);
    return r == 0;
}

static bool write_stderr(const struct uc_text *t)
{
    for (size_t done = 0; done < t->length; done += PIECE) {
        size_t n = t->length - done < PIECE ? t->length - done : PIECE;
        if (!stderr_takes())
            return false;
        uc_say_raw(t->at + done, n);
    }
    return true;
}

static void write_dump(void)
{
    static struct uc_view view;
    struct uc_text t = UC_TEXT(buffer);
    uc_thread_notice_fork_late();
    uc_report_collect(&view);
    uc_render(&view, form, &t);
    bool done = pattern && pattern[0] ? write_file(&t) : write_stderr(&t);
    if (done)
        uc_stat_add(uc_tls.thread, UC_STAT_DUMPS, 1);
}

enum { SIGNAL_BYTES = 8 }; // the kernel's set of 64 signals
#define BIT(number) (UINT64_C(1) << ((number)-1))

// A write that fails raises these, which end a program that never wrote.
static const uint64_t raised = BIT(SIGPIPE) | BIT(SIGXFSZ);

static void swallow_raised(uint64_t before)
{
    const struct timespec now = {0};
    uint64_t pending = 0;
    (void)UC_SYS2(SYS_rt_sigpending, &pending, SIGNAL_BYTES);
    uint64_t ours = pending & raised & ~before;
    while (ours && UC_SYS4(SYS_rt_sigtimedwait, &ours, NULL, &now, SIGNAL_BYTES) > 0)
        ;
}

// Programs that use the signal a lot for themselves must not drown in dumps: BURST of them at once,
// then one in a second. True: this one may be written.
static bool may_dump(void)
{
    enum { BURST = 10 };
    static _Atomic(uint64_t) due; // the second up to which dumps were written, counted one a second
    uint64_t second = uc_now() / 1000000000 + BURST;
    uint64_t was = atomic_load_explicit(&due, memory_order_relaxed);
    uint64_t next;
    do {
        next = (was + BURST > second ? was : second - BURST) + 1;
        if (next > second)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&due, &was, next, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static _Atomic(bool) forbidden;

void uc_report_forbid(void)
{
    atomic_store_explicit(&forbidden, true, memory_order_relaxed);
}

static bool is_forbidden(void)
{
    return atomic_load_explicit(&forbidden, memory_order_relaxed);
}

void uc_report_dump_beside_program(void)
{
    // First: without a vDSO the clock is a system call.
    if (!is_forbidden() && may_dump())
        uc_report_dump();
    else
        uc_stat_add(uc_tls.thread, UC_STAT_DUMPS_SPARED, 1);
}

void uc_report_dump(void)
{
    if (is_forbidden()) {
        uc_stat_add(uc_tls.thread, UC_STAT_DUMPS_SPARED, 1);
        return;
    }
    // All signals wait: another handler could leave by a jump, and the dump would never end.
    const uint64_t all = ~UINT64_C(0);
    uint64_t mask;
    uint64_t before = 0;
    if (UC_SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, SIGNAL_BYTES) < 0)
        return;
    uc_thread_notice_fork(); // the counts, and the pid in the file's name, are this process's
    uint32_t pid = (uint32_t)uc_sys_getpid();
    uint32_t seen = atomic_load_explicit(&writer, memory_order_relaxed);
    // Acquire and release: one writer's buffer is not another's.
    if (seen != pid && atomic_compare_exchange_strong_explicit(
                           &writer, &seen, pid, memory_order_acquire, memory_order_relaxed)) {
        (void)UC_SYS2(SYS_rt_sigpending, &before, SIGNAL_BYTES);
        write_dump();
        swallow_raised(before);
        atomic_store_explicit(&writer, 0, memory_order_release);
    } else {
        uc_stat_add(uc_tls.thread, UC_STAT_DUMPS_SPARED, 1);
    }
    (void)UC_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, SIGNAL_BYTES);
}
