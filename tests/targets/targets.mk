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

targets_made := $(foreach f,$(flavors),$T/libssl-$f.so $T/libcache-$f.so $T/ssl-$f $T/ssl-static-$f $T/cache-$f $T/cache-static-$f) \
    $T/ssl-atomic $T/ssl-stripped $T/cache-stripped $T/cache-debug-link $T/odd $T/twin $T/late \
    $T/libssl-copy.so $T/hooker.so $T/sealer.so
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

$T/libodd.so: tests/targets/odd.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)gcc $(target) -O2 -fvisibility=hidden -shared -o $@ $<

# gold, because lld keeps functions apart whose addresses are taken; folding is what is wanted here.
$T/libtwin.so: tests/targets/twin.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)gcc $(target) -O2 -fvisibility=hidden -ffunction-sections -fuse-ld=gold -Wl,--icf=all \
	    -shared -o $@ $<

$T/odd $T/twin: $T/%: $T/lib%.so tests/targets/odd_main.c $(T_heads)
	$(call say,TARGET)gcc $(target) -O2 -o $@ tests/targets/odd_main.c $(near) -l$*

$T/late: tests/targets/late_main.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)gcc $(target) -O2 -o $@ $< -ldl

$T/hooker.so $T/sealer.so: $T/%.so: tests/targets/%.c $(T_heads)
	@mkdir -p $(@D)
	$(call say,TARGET)gcc $(target) -O2 -shared -o $@ $< -ldl
