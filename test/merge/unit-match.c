/* SPDX-License-Identifier: BSD-3-Clause */
/* Which halves of messages and operations are written: merge/mpi/match.h, with losses of all kinds. */
#include <stdlib.h>
#include <string.h>

#include "merge/mpi/match.h"
#include "../lib/tap.h"

#define MEMBERS 4

static uint32_t gaps[MEMBERS];
static uint32_t pauses[MEMBERS];
static bool ended[MEMBERS];

static uint32_t count_gaps(const void *arg, uint32_t member)
{
	(void)arg;
	return gaps[member];
}

static uint32_t count_pauses(const void *arg, uint32_t member)
{
	(void)arg;
	return pauses[member];
}

static bool has_ended(const void *arg, uint32_t member)
{
	(void)arg;
	return ended[member];
}

static uint64_t comm_size(const void *arg, uint32_t comm)
{
	(void)arg;
	(void)comm;
	return 2;
}

static const struct hyb_match_facts facts = { count_gaps, has_ended, comm_size, count_pauses, NULL };

/*
 * What one rank has of a sequence of messages: '.' it has it, ' ' it was lost (a gap at each run of
 * them), '_' recording was paused.
 */
struct story {
	const char *sends;
	const char *receives;
	const char *tags; /* of each message, in its sender's order */
};

static const struct hyb_cuts none = { 0, 0 };

static void play(struct hyb_match *m, struct hyb_match *judged, enum hyb_half half,
		 const char *what, const char *tags)
{
	struct hyb_message key = { .comm = 5, .source = 0, .destination = 1 };
	struct hyb_cuts cuts = { 0, 0 };
	size_t i;

	for (i = 0; what[i]; i++) {
		if (what[i] != '.') {
			cuts.gaps += what[i] == ' ' && (i == 0 || what[i - 1] != ' ');
			cuts.pauses += what[i] == '_' && (i == 0 || what[i - 1] != '_');
			continue;
		}
		key.tag = (uint32_t)tags[i];
		if (judged ? hyb_match_tag(m, judged, half, &key, cuts)
			   : hyb_match_message(m, half, &key, cuts))
			abort();
	}
	gaps[half == HYB_HALF_SEND ? 0 : 1] = cuts.gaps;
	pauses[half == HYB_HALF_SEND ? 0 : 1] = cuts.pauses;
}

/*
 * Which messages of one half are kept: '+' for each, '-' for one left out, ' ' for one that was
 * lost.
 */
static void kept(struct hyb_match *m, enum hyb_half half, const char *what, const char *tags,
		 char *to)
{
	struct hyb_message key = { .comm = 5, .source = 0, .destination = 1 };
	size_t i;

	for (i = 0; what[i]; i++) {
		key.tag = (uint32_t)tags[i];
		to[i] = what[i];
		if (what[i] == '.')
			to[i] = hyb_match_keep_message(m, half, &key) ? '+' : '-';
	}
	to[i] = '\0';
}

static void check_story(const char *title, const struct story *s, const char *sends,
			const char *receives)
{
	char got[2][64];
	struct hyb_match m;

	hyb_match_init(&m);
	play(&m, NULL, HYB_HALF_SEND, s->sends, s->tags);
	play(&m, NULL, HYB_HALF_RECV, s->receives, s->tags);
	if (hyb_match_judge(&m, &facts, false)) {
		play(&m, &m, HYB_HALF_SEND, s->sends, s->tags);
		play(&m, &m, HYB_HALF_RECV, s->receives, s->tags);
	}
	if (hyb_match_settle(&m, &facts))
		abort();
	kept(&m, HYB_HALF_SEND, s->sends, s->tags, got[0]);
	kept(&m, HYB_HALF_RECV, s->receives, s->tags, got[1]);
	if (!tap(!strcmp(got[0], sends) && !strcmp(got[1], receives), "%s", title))
		printf("# sends '%s', receives '%s'\n", got[0], got[1]);
	hyb_match_free(&m);
}

static void check_messages(void)
{
	ended[0] = ended[1] = true;
	check_story("all there", &(struct story){ "....", "....", "aaaa" }, "++++", "++++");
	check_story("never received", &(struct story){ "....", "..", "aaaa" }, "++--", "++");
	check_story("never sent", &(struct story){ "..", "....", "aaaa" }, "++", "++--");
	check_story("one of two tags never received", &(struct story){ "....", ".  .", "abba" },
		    "+--+", "+  +");
	check_story("lost in the middle by the receiver",
		    &(struct story){ "......", "..  ..", "aaaaaa" }, "++--++", "++  ++");
	check_story("lost in the middle by both",
		    &(struct story){ ".  ....", "...  ..", "aaaaaaa" }, "+  --++", "+--  ++");
	check_story("lost twice: what lies between is left out",
		    &(struct story){ ".......", ". .. ..", "aaaaaaa" }, "+----++", "+ -- ++");
	check_story("lost at the beginning, the same number on both sides",
		    &(struct story){ "  ....", " .... ", "aaaaaa" }, "  ----", " ---- ");
	check_story("a ring on one side", &(struct story){ ".....", "   ..", "aaaaa" }, "---++",
		    "   ++");
	check_story("two rings of different length",
		    &(struct story){ "  ....", "    ..", "aaaaaa" }, "  --++", "    ++");
	check_story("paused by the receiver only", &(struct story){ "......", "..__..", "aaaaaa" }, "++--++", "++__++");
	check_story("paused by both, each at its own place",
		    &(struct story){ ".__....", ".....__", "aaaaaaa" }, "+__++++", "+++++__");
	check_story("paused by both twice, and one died",
		    &(struct story){ ".._.._..", ".._.._.", "aaaaaaaa" }, "++_++_+-", "++_++_+");
	ended[1] = false;
	check_story("a ring whose process died", &(struct story){ ".....", "   ..", "aaaaa" },
		    "-----", "   --");
	check_story("the receiver died", &(struct story){ "....", ".", "aaaa" }, "+---", "+");
	check_story("lost in the middle, then died", &(struct story){ "......", "..  .", "aaaaaa" },
		    "++----", "++  -");
}

/* Operations of two members, of which the second was paused for some. */
static void check_paused(void)
{
	static const char expected[] = "++---+++";
	struct hyb_match m;
	char got[2][16] = { "", "" };
	int i;

	memset(gaps, 0, sizeof(gaps));
	memset(pauses, 0, sizeof(pauses));
	pauses[1] = 1;
	ended[0] = ended[1] = true;
	hyb_match_init(&m);
	for (i = 0; i < 8; i++)
		hyb_match_collective(&m, 3, 0, none);
	for (i = 0; i < 5; i++)
		hyb_match_collective(&m, 3, 1, (struct hyb_cuts){ .pauses = i >= 2 });
	hyb_match_judge(&m, &facts, false);
	hyb_match_settle(&m, &facts);
	for (i = 0; i < 8; i++)
		got[0][i] = hyb_match_keep_collective(&m, 3, 0) ? '+' : '-';
	for (i = 0; i < 5; i++)
		got[1][i] = hyb_match_keep_collective(&m, 3, 1) ? '+' : '-';
	if (!tap(!strcmp(got[0], expected) && !strcmp(got[1], "+++++"), "operations that one member's pause hides"))
		printf("# '%s', '%s'\n", got[0], got[1]);
	hyb_match_free(&m);
}

static void check_others(void)
{
	struct hyb_message key = { .comm = 5, .source = 0, .destination = 1, .tag = 7 };
	struct hyb_match m, other;
	struct hyb_match_sums sums;
	int i;

	memset(gaps, 0, sizeof(gaps));
	hyb_match_init(&m);
	hyb_match_init(&other);
	for (i = 0; i < 5; i++)
		hyb_match_collective(&m, 3, 0, none);
	for (i = 0; i < 3; i++)
		hyb_match_collective(&other, 3, 1, none);
	hyb_match_collective(&m, 4, 0, none);
	hyb_match_message(&m, HYB_HALF_SEND, &key, none);
	hyb_match_message(&other, HYB_HALF_RECV, &key, none);
	hyb_match_merge(&m, &other);
	hyb_match_judge(&m, &facts, false);
	hyb_match_settle(&m, &facts);
	hyb_match_sum(&m, &sums);
	tap_equal((long long)sums.matched, 1, "a message whose halves two threads counted");
	tap_equal((long long)sums.collectives, 9, "calls of operations");
	tap_equal((long long)sums.whole, 6, "those that all members have");
	for (i = 0; i < 3; i++)
		tap(hyb_match_keep_collective(&m, 3, 0), "operation %d is kept", i);
	tap(!hyb_match_keep_collective(&m, 3, 0), "the next is not");
	tap(!hyb_match_keep_collective(&m, 4, 0), "one without its other member is not");
	hyb_match_free(&m);
	hyb_match_free(&other);
}

int main(void)
{
	check_messages();
	check_paused();
	check_others();
	return tap_done();
}
