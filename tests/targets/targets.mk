# SPDX-License-Identifier: MIT
# What tests/preload/counter-*.c run: libraries and programs with counters of their own, each in the
# builds that a distribution may have made of it. CFLAGS are not the user's here: the flavours are
# the point.
T       := $B/tests/targets
flavors := gcc-O2 gcc-Os gcc-O3 gcc-cet clang-O2
# compiler-FLAVOR, c++-FLAVOR and flags-of-FLAVOR. Named, not $(CC): both compilers are wanted.
cc-of   = $(if $(filter clang%,$1),clang,gcc)
c++-of  = $(if $(filter clang%,$1),clang++,g++)
flags-of = $(if $(filter %-cet,$1),-O2 -fcf-protection=full,-$(lastword $(subst -, ,$1)))
target  = -D_GNU_SOURCE -Ipreload -Itests/targets -Wall -Wextra -Werror -g -fPIC -pthread
near    = -L$T -Wl,-rpath,'$$ORIGIN'

# Each library in each flavour: as it is built, linked into its program, and in directories of
# these names with its symbols taken away (and kept beside, compressed inside, or lost).
shapes    := ssl cache odd twin lto
treated   := stripped debug mini
built     := $(foreach s,$(shapes),$(foreach f,$(flavors),$s-$f))
targets_made := $(foreach b,$(built),$T/$b $T/lib$b.so $(foreach d,$(treated),$T/$d/lib$b.so $T/$d/$b)) \
    $(foreach s,$(shapes),$(foreach f,$(flavors),$T/$s-static-$f)) \
    $T/ssl-atomic $T/ssl-stripped $T/ssl-other $T/cache-stripped $T/cache-debug-link $T/late \
    $T/libssl-copy.so $T/hooker.so $T/sealer.so $T/large
targets: $(targets_made)

T_ssl   := $(addprefix tests/targets/,ssl_counter.cpp ssl_api.cpp)
T_cache := $(addprefix tests/targets/,cache_counters.c cache_api.c)
T_heads := $(wildcard tests/targets/*.h) preload/stats_abi.h preload/stats.def tests/targets/targets.mk

$T/libssl-%.so: $(T_ssl) $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call c++-of,$*) $(target) $(call flags-of,$*) -fno-exceptions -fvisibility=hidden \
	    -shared -o $@ $(T_ssl)

$T/ssl-static-%: $(T_ssl) tests/targets/ssl_main.cpp $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call c++-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden -o $@ \
	    $(T_ssl) tests/targets/ssl_main.cpp

$T/ssl-%: $T/libssl-%.so tests/targets/ssl_main.cpp $(T_heads)
	$(call say,TARGET)g++ $(target) -O2 -o $@ tests/targets/ssl_main.cpp $(near) -lssl-$*

$T/libssl-atomic.so: $(T_ssl) $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)g++ $(target) -O2 -DTARGET_ATOMIC -fvisibility=hidden -shared -o $@ $(T_ssl)

$T/ssl-atomic: $T/libssl-atomic.so tests/targets/ssl_main.cpp
	$(call say,TARGET)g++ $(target) -O2 -DTARGET_ATOMIC -o $@ tests/targets/ssl_main.cpp $(near) -lssl-atomic

$T/libssl-other.so: $(T_ssl) $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)g++ $(target) -O2 -DTARGET_OTHER -fvisibility=hidden -shared -o $@ $(T_ssl)

$T/ssl-other: $T/libssl-other.so tests/targets/ssl_main.cpp
	$(call say,TARGET)g++ $(target) -O2 -DTARGET_OTHER -o $@ tests/targets/ssl_main.cpp $(near) -lssl-other

$T/libssl-stripped.so: $T/libssl-gcc-O2.so
	$(call say,TARGET)objcopy --strip-all $< $@

$T/libssl-copy.so: $T/libssl-gcc-O2.so
	$(call say,TARGET)cp $< $@

$T/libcache-%.so: $(T_cache) $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden -shared -o $@ $(T_cache)

$T/cache-static-%: $(T_cache) tests/targets/cache_main.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden -o $@ \
	    $(T_cache) tests/targets/cache_main.c

$T/cache-%: $T/libcache-%.so tests/targets/cache_main.c $(T_heads)
	$(call say,TARGET)gcc $(target) -O2 -o $@ tests/targets/cache_main.c $(near) -lcache-$*

$T/libcache-stripped.so: $T/libcache-gcc-O2.so
	$(call say,TARGET)objcopy --strip-all $< $@

# Stripped, with its debug file where .gnu_debuglink says: in the directory .debug beside it.
$T/libcache-debug-link.so: $T/libcache-gcc-O2.so
	@mkdir -p $T/.debug
	@objcopy --only-keep-debug $< $T/.debug/libcache-debug-link.debug
	$(call say,TARGET)objcopy --strip-all --add-gnu-debuglink=$T/.debug/libcache-debug-link.debug $< $@

$T/libodd-%.so: tests/targets/odd.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden -shared -o $@ $<

# Folding is what is wanted here; gcc's functions are folded by gold, clang's by lld.
folded = -ffunction-sections -Wl,--icf=all -fuse-ld=$(if $(filter clang%,$1),lld,gold)
$T/libtwin-%.so: tests/targets/twin.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden $(call folded,$*) -shared \
	    -o $@ $<

# Inlined by the linker, across files.
at-link-time = -flto $(if $(filter clang%,$1),-fuse-ld=lld)
T_lto := $(addprefix tests/targets/,lto_counter.c lto_api.c)
$T/liblto-%.so: $(T_lto) $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden $(call at-link-time,$*) \
	    -shared -o $@ $(T_lto)

$T/odd-static-%: tests/targets/odd.c tests/targets/odd_main.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden -o $@ $(filter %.c,$^)

$T/twin-static-%: tests/targets/twin.c tests/targets/odd_main.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden $(call folded,$*) -o $@ \
	    $(filter %.c,$^)

$T/lto-static-%: $(T_lto) tests/targets/odd_main.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)$(call cc-of,$*) $(target) $(call flags-of,$*) -fvisibility=hidden $(call at-link-time,$*) -o $@ \
	    $(filter %.c,$^)

odd-programs := $(foreach s,odd twin lto,$(foreach f,$(flavors),$T/$s-$f))
$(odd-programs): $T/%: tests/targets/odd_main.c $T/lib%.so $(T_heads)
	$(call say,TARGET)gcc $(target) -O2 -o $@ $< $(near) -l$*

$T/stripped/%.so: $T/%.so
	@mkdir -p $(@D)
	$(call say,TARGET)objcopy --strip-all $< $@

# The debug file is where .gnu_debuglink says: in the directory .debug beside it.
$T/debug/%.so: $T/%.so
	@mkdir -p $(@D)/.debug
	@objcopy --only-keep-debug $< $(@D)/.debug/$*.debug
	$(call say,TARGET)objcopy --strip-all --add-gnu-debuglink=$(@D)/.debug/$*.debug $< $@

# As distributions make mini debug info: the names of functions that are not exported, compressed.
$T/mini/%.so: $T/%.so
	@mkdir -p $(@D)
	@nm --format=posix --defined-only $< | awk '$$2 ~ /[tT]/ { print $$1 }' | sort >$@.all
	@nm -D --format=posix --defined-only $< | awk '{ print $$1 }' | sort | comm -13 - $@.all >$@.kept
	@objcopy --only-keep-debug $< $@.debug
	@objcopy --strip-all --remove-section .comment --keep-symbols=$@.kept $@.debug $@.symbols
	@xz -f $@.symbols
	$(call say,TARGET)objcopy --strip-all --add-section .gnu_debugdata=$@.symbols.xz $< $@
	@rm -f $@.all $@.kept $@.debug $@.symbols.xz

# Their programs look for them in their own directory.
$(foreach d,$(treated),$(foreach b,$(built),$(eval $T/$d/$b: $T/$b $T/$d/lib$b.so)))
$(foreach d,$(treated),$(foreach b,$(built),$T/$d/$b)):
	$(call say,TARGET)cp $< $@

# 100 MB, not stripped: 400,000 functions, and what a compiler writes for a debugger.
$T/large: $(T_cache) tests/targets/cache_main.c $(T_heads)
	@mkdir -p $(@D)
	@awk 'BEGIN { for (i = 0; i < 400000; i++) printf "%s_%d: nop\n", "large_function_of_some_name", i; \
	    print ".section .note.GNU-stack,\"\",@progbits\n.section .debug_filler\n.skip 80000000" }' >$@.s
	$(call say,TARGET)gcc $(target) -O2 -fvisibility=hidden -o $@ $(T_cache) tests/targets/cache_main.c $@.s
	@rm -f $@.s

$T/late: tests/targets/late_main.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)gcc $(target) -O2 -o $@ $< -ldl

$T/hooker.so $T/sealer.so: $T/%.so: tests/targets/%.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)gcc $(target) -O2 -shared -o $@ $< -ldl
