// SPDX-License-Identifier: MIT
// Thread-local memory that is reached without a call has to fit into what libc keeps free in each
// thread for libraries that come later: half a kilobyte, for all of them.
// claim: the library loads late, needs hardly any static TLS and never calls __tls_get_addr
// plain
#include "lib/plain.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { MOST_TLS = 64 };

struct file {
    const uint8_t *bytes;
    size_t size;
};

static struct file map_file(const char *path)
{
    int fd = CHECK_CALL(open(path, O_RDONLY | O_CLOEXEC));
    struct stat status;
    struct file file;

    CHECK_CALL(fstat(fd, &status));
    file.size = (size_t)status.st_size;
    file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(file.bytes != MAP_FAILED, "mmap of %s: %s", path, strerror(errno));
    CHECK_CALL(close(fd));
    return file;
}

static size_t tls_size(struct file file)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)file.bytes;
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(file.bytes + header->e_phoff);

    for (int i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_TLS)
            return segment[i].p_memsz;
    return 0;
}

static void *draw(void *found)
{
    ssize_t (*get)(void *, size_t, unsigned);
    uint64_t drawn[2] = {0, 0};

    *(void **)&get = found;
    CHECK_IS(get(drawn, sizeof(drawn), 0), sizeof(drawn));
    CHECK(drawn[0] && drawn[1], "zeros were drawn");
    return NULL;
}

int main(void)
{
    const char *path = plain_library();
    struct file file = map_file(path);
    void *library, *found;

    check_deadline(20);
    CHECK(tls_size(file) <= MOST_TLS, "%zu bytes of static TLS", tls_size(file));
    CHECK(!memmem(file.bytes, file.size, "__tls_get_addr", 14), "the name is in %s", path);
    library = dlopen(path, RTLD_NOW);
    CHECK(library, "dlopen: %s", dlerror());
    found = dlsym(library, "getrandom");
    CHECK(found, "dlsym: %s", dlerror());
    draw(found);
    check_join(check_thread(draw, found));
    return CHECK_PASS;
}
