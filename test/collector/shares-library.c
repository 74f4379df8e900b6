/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spin_NAME: works as long as any other of this kind does with that number, each step waiting for the one before, so
 * that a step takes as long wherever the code lies. Built by the test several times, with NAME and other options.
 */
double NAME(long steps);

double NAME(long steps)
{
	double x = 1;

	for (long i = 0; i < steps; i++)
		x = x * 0.999 + 0.5;
	return x;
}
