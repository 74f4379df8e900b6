/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the command hybmon share; see hybmon.h. */
#include "tools/common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reader/containers/array.h"
#include "reader/streams/printable.h"

#define WIDTH 78
#define READ_SIZE 16384

void hyb_tool_fill(const char *text, int indent)
{
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > 0 && column + 1 + length > WIDTH) {
			putchar('\n');
			column = 0;
		}
		if (column == 0)
			column = printf("%*s%.*s", indent, "", length, text);
		else
			column += printf(" %.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

void hyb_tool_say(const char *what, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "hybmon run: %s", what);
	va_start(arguments, format);
	hyb_show_va(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static void *must(void *p)
{
	if (p)
		return p;
	fprintf(stderr, "hybmon: %s\n", strerror(ENOMEM));
	exit(EXIT_FAILED);
}

void *hyb_tool_alloc(size_t size)
{
	return must(calloc(1, size));
}

char *hyb_tool_format(const char *format, ...)
{
	va_list arguments;
	char *text;
	int n;

	va_start(arguments, format);
	n = vasprintf(&text, format, arguments);
	va_end(arguments);
	return must(n < 0 ? NULL : text);
}

void hyb_tool_add(char ***list, char *item)
{
	size_t n = 0;

	while (*list && (*list)[n])
		n++;
	*list = must(realloc(*list, (n + 2) * sizeof(**list)));
	(*list)[n] = item;
	(*list)[n + 1] = NULL;
}

void hyb_tool_put_word(const char *word, FILE *to)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, to);
		return;
	}
	putc('\'', to);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, 0 }, to);
	putc('\'', to);
}

/* The child's side: never comes back. */
static void become(char *const argv[], int output)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0)
		_exit(127);
	execv(argv[0], argv);
	_exit(127);
}

static char *read_all(int fd)
{
	size_t room = 0, n = 0;
	char *text = must(hyb_array_hold(NULL, &room, READ_SIZE, 1));
	ssize_t got;

	while ((got = read(fd, text + n, room - n - 1)) != 0) {
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
		text = must(hyb_array_room(text, &room, n + 1, 1));
	}
	text[n] = 0;
	return text;
}

char *hyb_tool_output_anyway(char *const argv[], int *status)
{
	char *text;
	int ends[2];
	pid_t pid;

	*status = -1;
	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	pid = fork();
	if (!pid)
		become(argv, ends[1]);
	close(ends[1]);
	text = pid < 0 ? NULL : read_all(ends[0]);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return text;
}

char *hyb_tool_output(char *const argv[])
{
	int status;
	char *text = hyb_tool_output_anyway(argv, &status);

	if (text && !(WIFEXITED(status) && !WEXITSTATUS(status))) {
		free(text);
		return NULL;
	}
	return text;
}
