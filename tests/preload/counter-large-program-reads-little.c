// SPDX-License-Identifier: MIT
// claim: of a program of 100 MB that is not stripped no more is read at start-up than its symbol
// table, and nothing of it where no function is looked for.
// time: 60
#include "lib/target.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { PAGE = 4096, MARGIN = 32 };

static long pages_of(const char *counters, int replaced)
{
    static struct target t;

    memset(&t, 0, sizeof(t));
    t.counters = counters;
    target_run(&t, "large", (const char *[]){"2", "100", NULL});
    CHECK(t.status == 0, "%s: ended with %d: %s", counters, t.status, t.err);
    TARGET_IS(&t, "hits", 300);
    TARGET_IS(&t, "replaced", replaced);
    return target_number(&t, "pages");
}

static long faults(void)
{
    struct rusage now;

    getrusage(RUSAGE_SELF, &now);
    return now.ru_minflt + now.ru_majflt;
}

// How many page faults a walk over .symtab and its names takes. One fault brings several pages, how
// many is the kernel's choice.
static long symbols(void)
{
    char path[1200];
    unsigned sum = 0;

    snprintf(path, sizeof(path), "%s/large", target_directory());
    int fd = CHECK_CALL(open(path, O_RDONLY));
    long size = lseek(fd, 0, SEEK_END), before = faults();
    const uint8_t *image = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + ((const Elf64_Ehdr *)image)->e_shoff);
    const Elf64_Shdr *table = sections;

    CHECK(size > 100L * 1000 * 1000, "%ld bytes are no 100 MB", size);
    while (table->sh_type != SHT_SYMTAB)
        table++;
    const Elf64_Sym *all = (const Elf64_Sym *)(image + table->sh_offset);
    const volatile uint8_t *names = image + sections[table->sh_link].sh_offset;

    CHECK((long)(table->sh_size + sections[table->sh_link].sh_size) < size / 3, "many symbols");
    for (size_t i = 0; i < table->sh_size / sizeof(*all); i++)
        sum += names[all[i].st_name];
    CHECK(sum > 0, "no names");
    return faults() - before;
}

static void check(const char *counters, int replaced, long nothing, long most)
{
    long pages = pages_of(counters, replaced);

    CHECK(pages <= nothing + most + MARGIN, "%s: %ld faults, %ld of them without, %ld allowed",
          counters, pages, nothing, most);
}

int main(void)
{
    long nothing = pages_of("off", 0), walk = symbols() * 5 / 4;

    check("libother*:count=add64(arg0)", 0, nothing, 0);
    check("auto", 0, nothing, walk);
    check(":cache_hit=add64(arg0+0x60)", 1, nothing, walk);
    check(":cache::hit=add64(arg0+0x60)", 0, nothing, walk);
    return CHECK_PASS;
}
