/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of system calls, interrupts, devices and signals; see name.h. */
#include "collector/common/name.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "collector/common/map.h"
#include "core/record/definitions.h"

static const struct {
	uint32_t number;
	const char *name;
} syscalls[] = {
#include "collector/common/syscalls.h"	/* local.mk makes it of this machine's headers */
};

#define SIGNAL(name) { name, #name }

static const struct {
	uint32_t number;
	const char *name;
} signals[] = {
	SIGNAL(SIGHUP), SIGNAL(SIGINT), SIGNAL(SIGQUIT), SIGNAL(SIGILL), SIGNAL(SIGTRAP), SIGNAL(SIGABRT), SIGNAL(SIGBUS),
	SIGNAL(SIGFPE), SIGNAL(SIGKILL), SIGNAL(SIGUSR1), SIGNAL(SIGSEGV), SIGNAL(SIGUSR2), SIGNAL(SIGPIPE),
	SIGNAL(SIGALRM), SIGNAL(SIGTERM), SIGNAL(SIGSTKFLT), SIGNAL(SIGCHLD), SIGNAL(SIGCONT), SIGNAL(SIGSTOP),
	SIGNAL(SIGTSTP), SIGNAL(SIGTTIN), SIGNAL(SIGTTOU), SIGNAL(SIGURG), SIGNAL(SIGXCPU), SIGNAL(SIGXFSZ),
	SIGNAL(SIGVTALRM), SIGNAL(SIGPROF), SIGNAL(SIGWINCH), SIGNAL(SIGIO), SIGNAL(SIGPWR), SIGNAL(SIGSYS),
};

#define SYSCALLS (sizeof(syscalls) / sizeof(syscalls[0]))
#define LOW 1024	/* every system call's number is below */

static bool syscall_named[LOW];
static struct hyb_map irqs;
static struct hyb_map devices;

static void define(enum hyb_kernel_names kind, uint32_t number, const char *name)
{
	uint64_t length = strlen(name);

	hyb_def_record(HYB_DEF_KERNEL_NAME, (uint64_t)kind << 32 | number, &length, sizeof(length), name, length);
}

void hyb_name_syscall(uint32_t number)
{
	if (number >= LOW || syscall_named[number])
		return;
	syscall_named[number] = true;
	for (size_t i = 0; i < SYSCALLS; i++) {
		if (syscalls[i].number == number) {
			define(HYB_NAME_SYSCALL, number, syscalls[i].name);
			return;
		}
	}
}

void hyb_name_irq(uint32_t number, const char *name)
{
	/* In the order of enum hyb_irq_vector. */
	static const char *const vectors[] = { "local_timer", "irq_work", "call_function", "call_function_single",
					       "thermal_apic" };

	if (number >= HYB_IRQ_VECTOR && number - HYB_IRQ_VECTOR < sizeof(vectors) / sizeof(vectors[0]))
		name = vectors[number - HYB_IRQ_VECTOR];
	if (hyb_map_get(&irqs, number) || !name)
		return;
	hyb_map_put(&irqs, number, &irqs);
	define(HYB_NAME_IRQ, number, name);
}

/* The kernel's dev_t has 20 bits for the minor number. */
void hyb_name_device(uint32_t device)
{
	unsigned int major, minor;
	char line[256], name[128];
	FILE *f;

	if (hyb_map_get(&devices, device))
		return;
	hyb_map_put(&devices, device, &devices);
	f = fopen("/proc/partitions", "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%u %u %*u %127s", &major, &minor, name) == 3 && major == device >> 20 &&
		    minor == (device & 0xfffff)) {
			define(HYB_NAME_DEVICE, device, name);
			break;
		}
	}
	if (f)
		fclose(f);
}

void hyb_name_start(void)
{
	/* In this order since Linux 2.6.39, include/linux/interrupt.h. */
	static const char *const softirqs[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
						"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };
	char name[32];

	for (uint32_t i = 0; i < sizeof(softirqs) / sizeof(softirqs[0]); i++)
		define(HYB_NAME_SOFTIRQ, i, softirqs[i]);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		define(HYB_NAME_SIGNAL, signals[i].number, signals[i].name);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++) {
		snprintf(name, sizeof(name), "SIGRT+%d", i - SIGRTMIN);
		define(HYB_NAME_SIGNAL, (uint32_t)i, name);
	}
}
