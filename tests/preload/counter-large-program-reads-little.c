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

// How many page faults reading the whole file takes, and by the same measure its .symtab with the
// names. One fault brings several pages, how many is the kernel's choice.
static void measure(long *whole, long *symbols)
{
    char path[1200];
    long bytes = 0, before = faults();
    unsigned sum = 0;

    snprintf(path, sizeof(path), "%s/large", target_directory());
    int fd = CHECK_CALL(open(path, O_RDONLY));
    long size = lseek(fd, 0, SEEK_END);
    const volatile uint8_t *image = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);

    for (long at = 0; at < size; at += PAGE)
        sum += image[at];
    *whole = faults() - before;
    const uint8_t *start = (const uint8_t *)image;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)start;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(start + head->e_shoff);

    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type == SHT_SYMTAB)
            bytes = (long)(sections[i].sh_size + sections[sections[i].sh_link].sh_size);
    }
    CHECK(size > 100L * 1000 * 1000 && bytes > 0 && bytes < size / 3 && sum, "%ld bytes, %ld", size,
          bytes);
    *symbols = *whole * (bytes / PAGE) / (size / PAGE);
}

static void check(const char *counters, int replaced, long nothing, long most)
{
    long pages = pages_of(counters, replaced);

    CHECK(pages <= nothing + most + MARGIN, "%s: %ld faults, %ld of them without, %ld allowed",
          counters, pages, nothing, most);
}

int main(void)
{
    long whole, symbols, nothing = pages_of("off", 0);

    measure(&whole, &symbols);
    CHECK(whole > 2 * (symbols + MARGIN), "%ld faults for all, %ld for the symbols", whole,
          symbols);
    check("libother*:count=add64(arg0)", 0, nothing, 0);
    check("auto", 0, nothing, symbols);
    check(":cache_hit=add64(arg0+0x60)", 1, nothing, symbols);
    check(":cache::hit=add64(arg0+0x60)", 0, nothing, symbols);
    return CHECK_PASS;
}
