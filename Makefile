# SPDX-License-Identifier: MIT
# make            the library and the command, in build/       make demo    haproxy with and without, in two minutes
# make check      all tests                                    make check-long   in their long form, hours
# make bench      all benchmarks and a report of them          make bench-* one of them
# make install PREFIX=... DESTDIR=..., make uninstall          make deb     a Debian package
CC       ?= cc
CXX      ?= c++
CFLAGS   ?= -O2 -g
CXXFLAGS ?= $(CFLAGS)
PREFIX   ?= /usr/local
bindir   ?= $(PREFIX)/bin
libdir   ?= $(PREFIX)/lib
mandir   ?= $(PREFIX)/share/man
compdir  ?= $(PREFIX)/share/bash-completion/completions
pkgconfigdir ?= $(libdir)/pkgconfig
places    = $(foreach p,bindir libdir mandir compdir pkgconfigdir DESTDIR,$p='$($p)')
B        ?= build
export PYTHONDONTWRITEBYTECODE = 1

warn   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
common := -std=gnu11 -D_GNU_SOURCE -iquote preload $(warn)
guest  := $(common) -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-strict-aliasing
ldso    = -shared -Wl,-z,relro,-z,now,-z,nodelete $(if $(musl),-nolibc,-Wl,-z,defs,--no-undefined-version) \
          -Wl,--version-script=$(filter %.map,$^) -Wl,-soname,$(@F)
# musl (docs/design.md): no command; libraries that name no libc, which glibc's loader would die of.
musl := $(shell printf '\043include <features.h>\n\043ifndef __GLIBC__\nmusl\n\043endif\n' | $(CC) -E - 2>&1 | grep -x musl)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' '$1' '$@';)

# Where the command looks at last; an install with another libdir makes it anew.
flags-run := -DUC_LIBDIR='"$(libdir)"'
# The name of a lock function's caller is found where a jump leads, not a call (preload/rwlock.c).
flags-rwlock := -O2
# These must leave no secret on the stack, where -O0 has all variables, and -O3 some of the cipher's.
$(foreach f,chacha chacha_wide move drbg random rand syscall,$(eval flags-$f := -O2))
# These may run before they are relocated, when no other object can be called, not for a memset either.
$(foreach f,sigshim signal rand_bytes,$(eval flags-$f := -O2))

guest_obj := $(patsubst %.c,$B/obj/%.o,$(wildcard preload/*.c shims/*.c))
# What the command has in common with the library: its words, and its judgement on counters.
shared    := options text render hotlist signame say sys spec elfread insn demangle locate object known wanted field prove trace judge
tool_obj  := $(patsubst %.c,$B/obj/%.o,$(wildcard tools/*.c)) $(patsubst %,$B/obj/preload/%.o,$(shared))
unit      := $(patsubst %.c,$B/%,$(wildcard tests/unit/test_*.c))
programs  := $(basename $(patsubst %,$B/%,$(wildcard tests/preload/*.c tests/preload/*.cpp)))
plugins   := $(patsubst %.c,$B/%.so,$(wildcard tests/preload/plugin/*.c))
faults    := $(patsubst %.c,$B/%.so,$(wildcard tests/fault/*.c))
benches   := $(patsubst %.c,$B/%,$(wildcard bench/*.c))

all: $B/libuncontend.so $B/libuncontend-rand.so $(if $(musl),,$B/uncontend)

# These bring the packages that they need (NO_INSTALL=1: only say which).
demo:
	@scripts/need demo
	@$(MAKE) --no-print-directory all $B/bench/tlsload
	@scripts/demo $B

check:
	@scripts/need check
	@$(MAKE) --no-print-directory all tests
	@tests/run $B

check-long:
	@scripts/need long
	@$(MAKE) --no-print-directory all tests
	@UC_TEST_LONG=1 tests/run $B

tests: $(unit) $(programs) $(plugins) $(faults) $(benches) targets

$B/libuncontend.so: $(guest_obj) shims/export.map
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $(ldso) -o $@ $(guest_obj) -ldl

$B/libuncontend-rand.so: $B/obj/rand/rand_bytes.o rand/export.map
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $(ldso) -o $@ $< -ldl

$B/uncontend: $(tool_obj)
	$(call say,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(tool_obj) -llzma

$B/obj/tools/run.o: $B/libdir
$B/libdir: FORCE; @mkdir -p $B; echo '$(libdir)' | cmp -s - $@ || echo '$(libdir)' >$@
$B/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(guest) -MMD -MP $(CPPFLAGS) $(CFLAGS) $(flags-$(*F)) -c -o $@ $<

# "// link: ..." and "// cflags: ..." in a source's head.
told = $(shell sed -n 's|^// $1: ||p' $<)

$B/tests/unit/%: tests/unit/%.c $(filter-out $B/obj/shims/%,$(guest_obj))
	@mkdir -p $(@D)
	$(call say,UNIT)$(CC) $(common) -MMD -MP $(CPPFLAGS) $(CFLAGS) $(call told,cflags) -o $@ $< \
	    $(filter %.o,$^) $(call told,link) -lcmocka -ldl

$B/tests/preload/%: tests/preload/%.c
	@mkdir -p $(@D)
	$(call say,TEST)$(CC) $(common) -MMD -MP $(CPPFLAGS) $(CFLAGS) $(call told,cflags) -o $@ $< \
	    -pthread $(call told,link) -ldl

$B/tests/preload/%: tests/preload/%.cpp
	@mkdir -p $(@D)
	$(call say,TEST)$(CXX) -std=gnu++17 -D_GNU_SOURCE -iquote preload -Wall -Wextra -Werror -MMD -MP $(CPPFLAGS) \
	    $(CXXFLAGS) $(call told,cflags) -o $@ $< -pthread $(call told,link) -ldl

$B/tests/preload/plugin/%.so: tests/preload/plugin/%.c
	@mkdir -p $(@D)
	$(call say,TEST)$(CC) $(common) -fPIC -shared $(CPPFLAGS) $(CFLAGS) -o $@ $< -pthread

$B/tests/fault/%.so: tests/fault/%.c
	@mkdir -p $(@D)
	$(call say,FAULT)$(CC) $(common) -fPIC -shared -MMD -MP $(CPPFLAGS) $(CFLAGS) -o $@ $<

$B/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(call say,BENCH)$(CC) $(common) -MMD -MP $(CPPFLAGS) $(CFLAGS) -o $@ $< -pthread $(call told,link) -ldl

targets:
-include tests/targets/targets.mk

bench-random bench-locks bench-counters bench-boringssl bench-startup bench-server-locks bench-stats: bench-%: all $(benches)
	-@scripts/need bench
	@bench/run-$* $B

# All of them, then build/report/index.html. BENCH_QUICK=1: the machinery, not the figures.
bench:
	@scripts/need bench
	@$(MAKE) --no-print-directory bench-programs
	@bench/report $B

bench-programs: all $(benches) ;

# The pictures of the README, from the figures of the last `make bench`.
plots:
	@bench/plots --svg random,locks $B/report docs

install: all
	@$(places) scripts/install $B

uninstall:
	@$(places) scripts/install $B remove

deb:
	@scripts/need package
	@scripts/deb $B

clean:
	rm -rf $B

.PHONY: FORCE all demo check check-long tests targets bench bench-programs plots bench-random bench-locks bench-counters \
    bench-boringssl bench-startup bench-server-locks bench-stats install uninstall deb clean
.DELETE_ON_ERROR:
-include $(shell find $B -path $B/deb -prune -o -name '*.d' -type f -print 2>/dev/null)
