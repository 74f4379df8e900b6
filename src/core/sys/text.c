/* SPDX-License-Identifier: BSD-3-Clause */
/* Formatting without stdio; see text.h. */
#include "core/sys/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct out {
	char *buf;
	size_t size;
	size_t length;
};

static void put(struct out *o, char c)
{
	if (o->length + 1 < o->size)
		o->buf[o->length] = c;
	o->length++;
}

static void put_number(struct out *o, uint64_t value, unsigned int base, bool negative,
		       unsigned int width, char pad)
{
	char digits[24];
	unsigned int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	if (negative && pad == '0')
		put(o, '-');
	for (unsigned int i = n + negative; i < width; i++)
		put(o, pad);
	if (negative && pad != '0')
		put(o, '-');
	while (n)
		put(o, digits[--n]);
}

/* What the length modifier of a conversion says: how the next argument is to be taken. */
enum length { LENGTH_INT, LENGTH_LONG, LENGTH_LLONG };

static uint64_t next_unsigned(va_list *ap, enum length length)
{
	if (length == LENGTH_LLONG)
		return va_arg(*ap, unsigned long long);
	return length == LENGTH_LONG ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned int);
}

static int64_t next_signed(va_list *ap, enum length length)
{
	if (length == LENGTH_LLONG)
		return va_arg(*ap, long long);
	return length == LENGTH_LONG ? va_arg(*ap, long) : va_arg(*ap, int);
}

static const char *put_conversion(struct out *o, const char *f, va_list *ap)
{
	enum length length = LENGTH_INT;
	unsigned int width = 0;
	char pad = ' ';
	int64_t v;

	if (*f == '0')
		pad = *f++;
	while (*f >= '0' && *f <= '9')
		width = width * 10 + (unsigned int)(*f++ - '0');
	for (; *f == 'l' || *f == 'z'; f++)
		length = length == LENGTH_LONG ? LENGTH_LLONG : LENGTH_LONG;
	switch (*f) {
	case 's':
		for (const char *s = va_arg(*ap, const char *); *s; s++)
			put(o, *s);
		break;
	case 'c':
		put(o, (char)va_arg(*ap, int));
		break;
	case 'd':
		v = next_signed(ap, length);
		put_number(o, v < 0 ? -(uint64_t)v : (uint64_t)v, 10, v < 0, width, pad);
		break;
	case 'u':
		put_number(o, next_unsigned(ap, length), 10, false, width, pad);
		break;
	case 'x':
		put_number(o, next_unsigned(ap, length), 16, false, width, pad);
		break;
	case 'p':
		put(o, '0');
		put(o, 'x');
		put_number(o, (uintptr_t)va_arg(*ap, void *), 16, false, width, pad);
		break;
	default:
		put(o, *f);
	}
	return *f ? f + 1 : f;
}

size_t hyb_text_vformat(char *buf, size_t size, const char *format, va_list ap)
{
	struct out o = { buf, size, 0 };
	va_list args;

	va_copy(args, ap);
	while (*format) {
		if (*format == '%')
			format = put_conversion(&o, format + 1, &args);
		else
			put(&o, *format++);
	}
	va_end(args);
	if (size)
		buf[o.length < size ? o.length : size - 1] = 0;
	return o.length;
}

size_t hyb_text_format(char *buf, size_t size, const char *format, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, format);
	n = hyb_text_vformat(buf, size, format, ap);
	va_end(ap);
	return n;
}

const char *hyb_text_errno(int err)
{
	switch (err) {
	case EPERM: return "operation not permitted";
	case ENOENT: return "no such file or directory";
	case EIO: return "input/output error";
	case ENOMEM: return "out of memory";
	case EACCES: return "permission denied";
	case EEXIST: return "file exists";
	case ENOTDIR: return "not a directory";
	case EINVAL: return "invalid argument";
	case ENFILE: return "too many open files on this machine";
	case EMFILE: return "too many open files";
	case EFBIG: return "file size limit reached";
	case ENOSPC: return "no space left on device";
	case EROFS: return "read-only file system";
	case ENAMETOOLONG: return "file name too long";
	case ENODEV: return "file system cannot map files";
	case EDQUOT: return "disk quota exceeded";
	case ESTALE: return "file is gone or another took its place";
	case EOWNERDEAD: return "belongs to another user";	/* owned.h: HYB_FOREIGN */
	case EBADMSG: return "not what hybmon makes";		/* owned.h: HYB_STRANGE */
	case EINTR: return "interrupted";
	case ENOSYS: return "not there in this kernel";
	case ELOOP: return "too many symbolic links";
	case EXDEV: return "not on the same file system";
	case EMLINK: return "too many links";
	}
	return "unexpected error";
}

void hyb_text_utc(char *buf, size_t size, long long seconds)
{
	/* Days to date by eras of 400 years that begin on 1 March. */
	long long days = seconds / 86400 + 719468;
	unsigned int rest = (unsigned int)(seconds % 86400);
	unsigned int era_day = (unsigned int)(days % 146097);
	unsigned int year = (era_day - era_day / 1460 + era_day / 36524 - era_day / 146096) / 365;
	unsigned int year_day = era_day - (365 * year + year / 4 - year / 100);
	unsigned int month = (5 * year_day + 2) / 153;
	unsigned int day = year_day - (153 * month + 2) / 5 + 1;

	month = month < 10 ? month + 3 : month - 9;
	year += (unsigned int)(days / 146097) * 400 + (month <= 2);
	hyb_text_format(buf, size, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month, day, rest / 3600,
			rest / 60 % 60, rest % 60);
}
