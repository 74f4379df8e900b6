/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As much of libgomp as storm.c calls. What its threads wait for each other with the thread sanitizer sees, which of the
 * real one it does not: so that only what is ours is reported. Workers stay from region to region. No nesting.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

struct team {
	int count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int came, generation;	/* of its barrier */
	int singles, loops;	/* so many have begun */
	long next, end, step;
	struct task *tasks;
	int busy;		/* tasks that have not ended */
};

struct task {
	struct task *next;
	void (*code)(void *);
	void *data;
	int *left;		/* of the task that made it */
};

struct worker {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void (*code)(void *);
	void *data;
	struct team *team;
	bool there;
	int number;
};

static struct worker workers[MOST];
static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER;
static __thread struct team *team;
static __thread int number, singles, loops;
static __thread int *left;

static void run(struct task *t)
{
	int *outer = left;

	left = calloc(1, sizeof(*left));	/* its tasks may last longer than it does */
	t->code(t->data);
	left = outer;
	pthread_mutex_lock(&team->lock);
	--*t->left;
	team->busy--;
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->lock);
}

/* One that waits, if there is one; under the lock, which it gives up meanwhile. */
static bool run_one(void)
{
	struct task *t = team->tasks;

	if (!t)
		return false;
	team->tasks = t->next;
	pthread_mutex_unlock(&team->lock);
	run(t);
	free(t);
	pthread_mutex_lock(&team->lock);
	return true;
}

void GOMP_barrier(void)
{
	int now;

	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	now = team->generation;
	team->came++;
	pthread_cond_broadcast(&team->changed);
	while (team->generation == now) {
		if (run_one())
			continue;
		if (team->came == team->count && !team->busy) {
			team->came = 0;
			team->generation++;
			pthread_cond_broadcast(&team->changed);
			break;
		}
		pthread_cond_wait(&team->changed, &team->lock);
	}
	pthread_mutex_unlock(&team->lock);
}

static void take_part(struct team *its, int as, void (*code)(void *), void *data)
{
	struct team *outer = team;

	team = its;
	number = as;
	singles = loops = 0;
	left = calloc(1, sizeof(*left));
	code(data);
	GOMP_barrier();
	team = outer;
	number = 0;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->team)
			pthread_cond_wait(&w->changed, &w->lock);
		pthread_mutex_unlock(&w->lock);
		take_part(w->team, w->number, w->code, w->data);
		pthread_mutex_lock(&w->lock);
		w->team = NULL;
		pthread_cond_broadcast(&w->changed);
	}
	return NULL;
}

static void start_worker(struct worker *w)
{
	pthread_t thread;

	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	w->there = true;
	if (pthread_create(&thread, NULL, work, w) || pthread_detach(thread))
		abort();
}

void GOMP_parallel(void (*code)(void *), void *data, unsigned int threads, unsigned int flags)
{
	struct team its = { .count = (int)threads, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

	(void)flags;
	if (!threads || threads > MOST || team)
		abort();
	for (int i = 1; i < its.count; i++) {
		struct worker *w = &workers[i];

		if (!w->there)
			start_worker(w);
		pthread_mutex_lock(&w->lock);
		w->code = code;
		w->data = data;
		w->number = i;
		w->team = &its;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);
	}
	take_part(&its, 0, code, data);
	/* Until all have left what lies on this stack. */
	for (int i = 1; i < its.count; i++) {
		pthread_mutex_lock(&workers[i].lock);
		while (workers[i].team)
			pthread_cond_wait(&workers[i].changed, &workers[i].lock);
		pthread_mutex_unlock(&workers[i].lock);
	}
}

void GOMP_task(void (*code)(void *), void *data, void (*copy)(void *, void *), long size, long align, bool deferred,
	       unsigned int flags)
{
	struct task *t = calloc(1, sizeof(*t));
	char *block = malloc((size_t)(size + align));

	(void)deferred;
	(void)flags;
	if (!t || !block)
		abort();
	block = (char *)(((uintptr_t)block + (uintptr_t)align - 1) & ~(uintptr_t)(align - 1));
	if (copy)
		copy(block, data);
	else
		memcpy(block, data, (size_t)size);
	*t = (struct task){ .code = code, .data = block, .left = left };
	pthread_mutex_lock(&team->lock);
	++*left;
	team->busy++;
	t->next = team->tasks;
	team->tasks = t;
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->lock);
}

void GOMP_taskwait(void)
{
	pthread_mutex_lock(&team->lock);
	while (*left)
		if (!run_one())
			pthread_cond_wait(&team->changed, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

bool GOMP_single_start(void)
{
	bool first;

	pthread_mutex_lock(&team->lock);
	first = team->singles == singles++;
	team->singles += first;
	pthread_mutex_unlock(&team->lock);
	return first;
}

static bool next_part(long *begin, long *end)
{
	if (team->next >= team->end)
		return false;
	*begin = team->next;
	team->next += team->step;
	*end = team->next < team->end ? team->next : team->end;
	return true;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long from, long until, long by, long chunk, long *begin, long *end)
{
	bool any;

	pthread_mutex_lock(&team->lock);
	if (team->loops == loops++) {
		team->loops++;
		team->next = from;
		team->end = until;
		team->step = by * chunk;
	}
	any = next_part(begin, end);
	pthread_mutex_unlock(&team->lock);
	return any;
}

bool GOMP_loop_nonmonotonic_dynamic_next(long *begin, long *end)
{
	bool any;

	pthread_mutex_lock(&team->lock);
	any = next_part(begin, end);
	pthread_mutex_unlock(&team->lock);
	return any;
}

void GOMP_loop_end(void)
{
	GOMP_barrier();
}

void GOMP_critical_start(void)
{
	pthread_mutex_lock(&critical);
}

void GOMP_critical_end(void)
{
	pthread_mutex_unlock(&critical);
}

void omp_set_lock(int *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void omp_unset_lock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

void omp_init_lock(int *lock)
{
	omp_unset_lock(lock);
}

void omp_destroy_lock(int *lock)
{
	(void)lock;
}

/* The name's own memory serves. */
void GOMP_critical_name_start(void **name)
{
	omp_set_lock((int *)name);
}

void GOMP_critical_name_end(void **name)
{
	omp_unset_lock((int *)name);
}

int omp_get_thread_num(void)
{
	return number;
}

int omp_get_num_threads(void)
{
	return team ? team->count : 1;
}

int omp_get_max_threads(void)
{
	return MOST;
}

void omp_get_schedule(int *kind, int *chunk)
{
	*kind = 2;
	*chunk = 1;
}
