/* SPDX-License-Identifier: BSD-3-Clause */
#include "export/text/fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t ones(const struct print_field *f)
{
	return f->bits < 64 ? (UINT64_C(1) << f->bits) - 1 : UINT64_MAX;
}

/* 0 where the record is too short. */
static uint64_t value_of(const struct print_line *line, const struct print_field *f)
{
	const unsigned char *from = f->from == PRINT_FROM_WORDS ? (const unsigned char *)line->words : line->decoded;
	uint64_t value = 0;
	uint32_t half;
	uint16_t quarter;

	if (f->from == PRINT_FROM_ID)
		return line->id;
	if (f->from == PRINT_FROM_WORDS && f->at + f->size > line->count * UINT64_C(8))
		return 0;
	from += f->at;
	switch (f->size) {
	case 1:
		value = *from;
		break;
	case 2:
		memcpy(&quarter, from, sizeof(quarter));
		value = quarter;
		break;
	case 4:
		memcpy(&half, from, sizeof(half));
		value = half;
		break;
	case 8:
		memcpy(&value, from, sizeof(value));
	}
	return value >> f->low & ones(f);
}

static bool is_shown(const struct print_value *v)
{
	switch (v->field->when) {
	case PRINT_ALWAYS:
		return true;
	case PRINT_NEVER:
		return false;
	case PRINT_TIMES:
		return v->line->options->times;
	case PRINT_SET:
		return v->value;
	case PRINT_KNOWN:
		return v->value != ones(v->field);
	case PRINT_NATURAL:
		return !(v->value >> (v->field->bits - 1));
	}
	return false;
}

static void put_signed(const struct print_value *v)
{
	const unsigned int above = 64u - v->field->bits;

	printf("%" PRId64, (int64_t)(v->value << above) >> above);
}

static void put_task(uint64_t task)
{
	task &= (UINT64_C(1) << 48) - 1;
	if (task)
		printf("%" PRIu64 ".%" PRIu64, task >> 32, task & UINT32_MAX);
	else
		fputs("implicit", stdout);
}

static void put_number(const struct print_value *v)
{
	switch (v->field->how) {
	case PRINT_SIGNED:
		put_signed(v);
		break;
	case PRINT_HEX:
		printf("%" PRIx64, v->value);
		break;
	case PRINT_KEY:
		printf("%016" PRIx64, v->value);
		break;
	case PRINT_TIME:
		print_put_time(v->line->process, v->value);
		break;
	case PRINT_REQUEST:
		print_put_request(v->value);
		break;
	case PRINT_TASK:
		put_task(v->value);
		break;
	default:
		printf("%" PRIu64, v->value);
	}
}

/* Of those that the list has. */
static void put_modes(const struct print_value *v)
{
	const uint32_t known = (uint32_t)v->value & ((1u << v->field->count) - 1);

	if (!known)
		putchar('-');
	print_put_bits(v->field->names, v->field->count, known, "|");
}

/* By a list, if that has it. */
static void put_named(const struct print_value *v)
{
	const struct print_field *f = v->field;

	if (f->how == PRINT_BITS)
		print_put_bits(f->names, f->count, (uint32_t)v->value, ",");
	else if (f->how == PRINT_MODES)
		put_modes(v);
	else if (f->how == PRINT_DEVICE && v->value == UINT32_MAX)
		fputs("host", stdout);
	else if (v->value < f->count)
		fputs(f->names[v->value], stdout);
	else if (f->how == PRINT_ENTRY)
		fputs(f->names[f->count - 1], stdout);
	else
		put_number(v);
}

/* By the process's definitions. */
static void put_defined(const struct print_value *v)
{
	const struct print_process *p = v->line->process;

	switch (v->field->how) {
	case PRINT_REGION:
		print_put_region(p, v->value);
		break;
	case PRINT_COMM:
		print_put_comm(p, v->value);
		break;
	case PRINT_FILE:
		print_put_file(p, v->value);
		break;
	case PRINT_WIN:
		print_put_win(p, v->value);
		break;
	default:
		print_put_text(p, v->value);
	}
}

/* What is behind the record, as far as it is there. */
static void put_behind(const struct print_value *v)
{
	const struct print_line *line = v->line;
	const uint64_t *behind = line->words + line->least;
	const uint32_t words = line->count - line->least;
	const uint64_t unit = v->field->how == PRINT_MEMBERS ? sizeof(uint32_t) : 1;
	const uint64_t room = words * UINT64_C(8) / unit, count = v->value < room ? v->value : room;

	if (v->field->how == PRINT_BYTES)
		print_put_bytes((const char *)behind, count);
	else if (v->field->how == PRINT_WORD)
		print_put_part(behind, count, v->field->count);
	else if (v->field->how == PRINT_MEMBERS)
		print_put_members((const uint32_t *)behind, (uint32_t)count);
	for (uint32_t i = 0; i < words && v->field->how == PRINT_WORDS; i++)
		printf(" 0x%" PRIx64, behind[i]);
}

void print_put_value(const struct print_value *v)
{
	const enum print_how how = v->field->how;

	if (how == PRINT_SPECIAL)
		v->field->show(v);
	else if (how >= PRINT_BYTES)
		put_behind(v);
	else if (how >= PRINT_REGION)
		put_defined(v);
	else if (how >= PRINT_DEVICE)
		put_named(v);
	else if (how != PRINT_NOTHING)
		put_number(v);
}

void print_fields(const struct print_line *line, const struct print_field *fields)
{
	for (const struct print_field *f = fields; f->key; f++) {
		const struct print_value v = { line, f, value_of(line, f) };

		if (!is_shown(&v))
			continue;
		fputs(f->key, stdout);
		print_put_value(&v);
	}
}
