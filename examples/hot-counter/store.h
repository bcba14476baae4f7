// SPDX-License-Identifier: MIT
// A small key-value store, as a vendor might deliver it: a library that you cannot rebuild.
#ifndef STORE_H
#define STORE_H

#include <stdint.h>

struct store;

struct store *store_new(unsigned keys);
int store_get(struct store *s, unsigned key, uint64_t *value);
uint64_t store_hits(struct store *s);

#endif
