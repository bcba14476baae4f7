// SPDX-License-Identifier: MIT
// Owns the ways to bring code into memory. The first that the kernel, its settings and its security
// modules allow on a page of ours is used for all.
#include "patch.h"

#include <errno.h>
#include <string.h>

#include "sys.h"

#include "poison.h"

enum { PAGES = 2 };

// Maps the pages' new contents read-execute; at `at`, replacing what is there, with MAP_FIXED in
// flags. Returns MAP_FAILED with *error set.
typedef void *map_code(void *at, const uint8_t *contents, size_t n, int flags, int *error);

static int fill(int fd, const uint8_t *contents, size_t n)
{
    while (n > 0) {
        long r = uc_sys_write(fd, contents, n);
        if (r <= 0)
            return r < 0 ? (int)r : -EIO;
        contents += r;
        n -= (size_t)r;
    }
    return 0;
}

static void *map_memfd(unsigned flag, void *at, const uint8_t *contents, size_t n, int flags,
                       int *error)
{
    int fd = uc_sys_memfd_create("uncontend", MFD_CLOEXEC | flag);
    if (fd < 0) {
        *error = fd;
        return MAP_FAILED;
    }
    void *p = MAP_FAILED;
    *error = fill(fd, contents, n);
    if (*error == 0)
        p = uc_sys_mmap(at, n, PROT_READ | PROT_EXEC, MAP_PRIVATE | flags, fd, 0, error);
    (void)uc_sys_close(fd);
    return p;
}

static void *map_memfd_exec(void *at, const uint8_t *contents, size_t n, int flags, int *error)
{
    return map_memfd(MFD_EXEC, at, contents, n, flags, error);
}

// vm.memfd_noexec=2 allows these alone. What is sealed is the file's mode, not its mapping.
static void *map_memfd_noexec(void *at, const uint8_t *contents, size_t n, int flags, int *error)
{
    return map_memfd(MFD_NOEXEC_SEAL, at, contents, n, flags, error);
}

// Kernels before 6.3 know neither flag.
static void *map_memfd_old(void *at, const uint8_t *contents, size_t n, int flags, int *error)
{
    return map_memfd(0, at, contents, n, flags, error);
}

// mremap always replaces; where nothing may be replaced, the place is taken first.
static int take_place(void *at, size_t n, int flags)
{
    int error = 0;
    void *p = uc_sys_mmap(at, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0, &error);
    if (p == at)
        return 0;
    if (p != MAP_FAILED)
        (void)uc_sys_munmap(p, n);
    return p == MAP_FAILED ? error : -EEXIST;
}

// Without memfd_create: memory that is written first and made executable then, which the same
// protections refuse that make memfd necessary; then moved.
static void *map_anonymous(void *at, const uint8_t *contents, size_t n, int flags, int *error)
{
    void *p =
        uc_sys_mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0, error);
    if (p == MAP_FAILED)
        return MAP_FAILED;
    memcpy(p, contents, n);
    *error = uc_sys_mprotect(p, n, PROT_READ | PROT_EXEC);
    if (*error == 0 && at && !(flags & MAP_FIXED))
        *error = take_place(at, n, flags);
    if (*error == 0 && at) {
        long moved = uc_sys_call6(SYS_mremap, (long)p, (long)n, (long)n,
                                  MREMAP_MAYMOVE | MREMAP_FIXED, (long)at, 0);
        *error = moved < 0 && moved >= -UC_PAGE ? (int)moved : 0;
    }
    if (*error < 0) {
        (void)uc_sys_munmap(p, n);
        return MAP_FAILED;
    }
    return at ? at : p;
}

static map_code *const methods[] = {
    map_memfd_exec,
    map_memfd_noexec,
    map_memfd_old,
    map_anonymous,
};

static size_t method;

static uintptr_t page_of(uintptr_t at)
{
    return at & ~(uintptr_t)(UC_PAGE - 1);
}

int uc_patch_write(void *at, const void *bytes, size_t n)
{
    static uint8_t contents[PAGES * UC_PAGE]; // the caller's stack may be a small one
    uintptr_t first = page_of((uintptr_t)at);
    size_t length = page_of((uintptr_t)at + n - 1) + UC_PAGE - first;
    if (n == 0 || length > sizeof contents)
        return -EINVAL;
    memcpy(contents, (const void *)first, length);
    memcpy(contents + ((uintptr_t)at - first), bytes, n);
    int error = 0;
    void *p = methods[method]((void *)first, contents, length, MAP_FIXED, &error);
    return p == MAP_FAILED ? error : 0;
}

// Below an object there is room, as a rule: the kernel fills memory from above, and the heap grows
// above the program.
static void *map_near(uintptr_t near, const uint8_t *contents, int *error)
{
    for (uintptr_t distance = UC_PAGE; distance < INT32_MAX; distance += distance / 2 + UC_PAGE) {
        uintptr_t at = page_of(near) - page_of(distance);
        if (at > page_of(near) || !uc_patch_reaches(near, at))
            break;
        void *p = methods[method]((void *)at, contents, UC_PAGE, MAP_FIXED_NOREPLACE, error);
        if (p == (void *)at)
            return p;
        // Kernels before 4.17 take the flag for a hint and choose another place.
        if (p != MAP_FAILED)
            (void)uc_sys_munmap(p, UC_PAGE);
        else if (*error != -EEXIST && *error != -EPERM && *error != -ENOMEM)
            break;
    }
    return MAP_FAILED;
}

void *uc_patch_page(uintptr_t near, const void *bytes, size_t n)
{
    static uint8_t contents[UC_PAGE];
    if (n > sizeof contents)
        return NULL;
    memset(contents, 0xcc, sizeof contents);
    memcpy(contents, bytes, n);
    int error = 0;
    void *p = map_near(near, contents, &error);
    if (p == MAP_FAILED)
        p = methods[method](NULL, contents, UC_PAGE, 0, &error);
    return p == MAP_FAILED ? NULL : p;
}

#if defined(__x86_64__)
// endbr64; mov eax, N; ret
static const uint8_t rehearsal[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xb8, 1, 0, 0, 0, 0xc3};
enum { REHEARSAL_NUMBER = 5, REHEARSAL_FLIP = 2 };
#else
// bti c; mov w0, N; ret
static const uint8_t rehearsal[] = {0x5f, 0x24, 0x03, 0xd5, 0x20, 0,
                                    0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
enum { REHEARSAL_NUMBER = 4, REHEARSAL_FLIP = 0x40 };
#endif

static int run(const void *code)
{
    int (*fn)(void);
    memcpy(&fn, &code, sizeof fn);
    __builtin___clear_cache((char *)code, (char *)code + sizeof rehearsal);
    return fn();
}

// The whole of what will happen to the program's pages, on a page of our own: mapped, run,
// replaced, run again.
static int rehearse(void)
{
    int error = 0;
    static uint8_t contents[UC_PAGE];
    memcpy(contents, rehearsal, sizeof rehearsal);
    void *page = methods[method](NULL, contents, UC_PAGE, 0, &error);
    if (page == MAP_FAILED)
        return error;
    int before = run(page);
    uint8_t changed = (uint8_t)(contents[REHEARSAL_NUMBER] ^ REHEARSAL_FLIP);
    error = uc_patch_write((uint8_t *)page + REHEARSAL_NUMBER, &changed, 1);
    if (error == 0 && (before != 1 || run(page) == before))
        error = -ENOTSUP;
    (void)uc_sys_munmap(page, UC_PAGE);
    return error;
}

int uc_patch_start(void)
{
    int first = 0;
    for (method = 0; method < uc_countof(methods); method++) {
        int r = rehearse();
        if (r == 0)
            return 0;
        if (first == 0 || first == -EINVAL)
            first = r;
    }
    method = 0;
    return first;
}
