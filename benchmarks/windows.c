/* Two-stacks lite, two-stacks, DABA, DABA lite and subtract on evict for a sum of int64, by hand: what in_c.py holds the
   compiled kernels against. The same loop as in experiments/harness/measuring/drivers.py: evict, insert at the
   next time, query, sum up. Like the windows, each keeps the times of its entries. Indices are masked into a ring whose size is a power of two. */

#include <stdint.h>
#include <stdlib.h>

typedef int64_t i64;

typedef struct {
  i64 front, l, r, a, back, end, mask, all, middle;
  i64 *time, *agg, *value;
} ring;

static ring *make(i64 n) {
  ring *w = calloc(1, sizeof(ring));
  i64 size = 1;
  while (size < n + 2) size *= 2;
  w->mask = size - 1;
  w->time = calloc(size, sizeof(i64));
  w->agg = calloc(size, sizeof(i64));
  w->value = calloc(size, sizeof(i64));
  return w;
}

static void discard(ring *w) { free(w->time); free(w->agg); free(w->value); free(w); }

#define AGG(i) w->agg[(i) & w->mask]
#define VALUE(i) w->value[(i) & w->mask]
#define TIME(i) w->time[(i) & w->mask]

/* two-stacks lite */
static inline void two_stacks_lite_insert(ring *w, i64 time, i64 v) {
  TIME(w->end) = time; AGG(w->end) = v; w->all += v; w->end++;
}
static inline void two_stacks_lite_evict(ring *w) {
  if (w->front == w->back) {
    for (i64 i = w->end - 1; i > w->front; i--) AGG(i - 1) += AGG(i);
    w->back = w->end; w->all = 0;
  }
  w->front++;
}
static inline i64 two_stacks_lite_query(ring *w) { return w->front == w->back ? w->all : AGG(w->front) + w->all; }

/* two-stacks */
static inline void two_stacks_insert(ring *w, i64 time, i64 v) {
  TIME(w->end) = time; VALUE(w->end) = v;
  AGG(w->end) = w->back == w->end ? v : AGG(w->end - 1) + v;
  w->end++;
}
static inline void two_stacks_evict(ring *w) {
  if (w->front == w->back) {
    AGG(w->end - 1) = VALUE(w->end - 1);
    for (i64 i = w->end - 2; i >= w->front; i--) AGG(i) = VALUE(i) + AGG(i + 1);
    w->back = w->end;
  }
  w->front++;
}
static inline i64 two_stacks_query(ring *w) {
  if (w->front == w->end) return 0;
  if (w->front == w->back) return AGG(w->end - 1);
  if (w->back == w->end) return AGG(w->front);
  return AGG(w->front) + AGG(w->end - 1);
}

/* DABA */
static inline void daba_fix_up(ring *w) {
  if (w->front == w->back) { w->l = w->r = w->a = w->back = w->end; return; }
  if (w->l == w->back) { w->l = w->front; w->r = w->back; w->a = w->back = w->end; }
  if (w->l == w->r) { w->l++; w->r++; w->a++; return; }
  AGG(w->l) += AGG(w->a - 1);
  if (w->a < w->back) {
    AGG(w->l) += AGG(w->a);
    AGG(w->a - 1) = VALUE(w->a - 1) + AGG(w->a);
  } else AGG(w->a - 1) = VALUE(w->a - 1);
  w->l++; w->a--;
}
static inline void daba_insert(ring *w, i64 time, i64 v) {
  TIME(w->end) = time; VALUE(w->end) = v;
  AGG(w->end) = w->back == w->end ? v : AGG(w->end - 1) + v;
  w->end++; daba_fix_up(w);
}
static inline void daba_evict(ring *w) { w->front++; daba_fix_up(w); }
static inline i64 daba_query(ring *w) {
  if (w->front == w->end) return 0;
  return w->back == w->end ? AGG(w->front) : AGG(w->front) + AGG(w->end - 1);
}

/* DABA lite */
static inline void daba_lite_fix_up(ring *w) {
  if (w->front == w->back) { w->l = w->r = w->a = w->back = w->end; w->all = 0; return; }
  if (w->l == w->back) { w->l = w->front; w->r = w->back; w->a = w->back = w->end; w->middle = w->all; w->all = 0; }
  if (w->l == w->r) { w->l++; w->r++; w->a++; return; }
  AGG(w->l) += w->middle;
  if (w->a < w->back) AGG(w->a - 1) += AGG(w->a);
  w->l++; w->a--;
}
static inline void daba_lite_insert(ring *w, i64 time, i64 v) {
  TIME(w->end) = time; AGG(w->end) = v; w->all += v; w->end++; daba_lite_fix_up(w);
}
static inline void daba_lite_evict(ring *w) { w->front++; daba_lite_fix_up(w); }
static inline i64 daba_lite_query(ring *w) { return w->front == w->back ? w->all : AGG(w->front) + w->all; }

/* subtract on evict */
static inline void soe_insert(ring *w, i64 time, i64 v) { TIME(w->end) = time; AGG(w->end) = v; w->all += v; w->end++; }
static inline void soe_evict(ring *w) { w->all -= AGG(w->front); w->front++; }
static inline i64 soe_query(ring *w) { return w->all; }

#define LOOP(name)                                                                             \
  ring *name##_filled(i64 n, const i64 *values, i64 period) {                                  \
    ring *w = make(n);                                                                         \
    for (i64 i = 0; i < n; i++) name##_insert(w, i, values[i % period]);                       \
    return w;                                                                                  \
  }                                                                                            \
  i64 name##_rounds(ring *w, i64 time, i64 count, i64 serial, const i64 *values, i64 period) { \
    i64 total = 0, k = serial % period;                                                        \
    for (i64 i = 0; i < count; i++) {                                                          \
      name##_evict(w);                                                                         \
      name##_insert(w, time++, values[k]);                                                     \
      total += name##_query(w);                                                                \
      k = k + 1 < period ? k + 1 : 0;                                                          \
    }                                                                                          \
    return total;                                                                              \
  }                                                                                            \
  void name##_discard(ring *w) { discard(w); }

LOOP(two_stacks_lite)
LOOP(two_stacks)
LOOP(daba)
LOOP(daba_lite)
LOOP(soe)
