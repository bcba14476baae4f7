// SPDX-License-Identifier: MIT
// Owns the search for a function in the vDSO: the image that the kernel maps into every process.
// Cost: a search through the image's tables; for start-up.
#ifndef UC_VDSO_H
#define UC_VDSO_H

#include "compiler.h"

// The address of a function in an ELF image that is mapped as the kernel maps the vDSO; NULL when
// it is not defined there, the image is not understood, or image is NULL.
const void *uc_vdso_find(const void *image, const char *name);

#endif
