/* SPDX-License-Identifier: MIT */
/*
 * A store around another one that counts calls and spoils one of them. Pass &fault.cls and &fault where the class and
 * state of a store are asked for; closing it closes the store inside. Tests may take caps or callbacks out of fault.cls.
 */
#ifndef FAULT_STORE_H
#define FAULT_STORE_H

#include <stdatomic.h>

#include "base/base.h"

#define FAULT_GET 1u
#define FAULT_SET 2u
#define FAULT_ERASE 4u
#define FAULT_INFO 8u
#define FAULT_LIST 16u
#define FAULT_ERASE_PREFIX 32u
#define FAULT_PUT 64u /* begin, append and commit */
#define FAULT_ANY 127u

typedef enum fault_kind {
    FAULT_FAIL,      /* fails and does nothing */
    FAULT_FAIL_LATE, /* does it and says that it failed, as when a reply is lost; a get gives nothing */
    FAULT_TRUNCATE   /* a get gives half of its first range, a set stores half of its bytes; both say ok */
} fault_kind;

typedef struct fault_store {
    zl_store_class cls;
    const zl_store_class *inner;
    void *inner_self;
    atomic_uint calls; /* of the armed operations, since it was armed */
    uint32_t operations;
    uint32_t nth;
    fault_kind kind;
    zl_status status;
} fault_store;

/* Takes `self`, the state of `inner`. Nothing is spoiled; FAULT_ANY is counted. */
void fault_store_init(fault_store *fault, const zl_store_class *inner, void *self);
/* The `nth` (from 1, 0: none) of the next calls that are among `operations` is spoiled. `status` is what a failure gives.
 * Not while calls run. */
void fault_store_arm(fault_store *fault, uint32_t operations, uint32_t nth, fault_kind kind, zl_status status);

#endif
