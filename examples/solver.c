/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An example to record: heat in a square plate whose upper edge is hot, by Jacobi's method on a grid of
 * processes. Each exchanges the borders of its block with its neighbours after every step: along columns by
 * MPI_Sendrecv, along rows by MPI_Send and MPI_Recv. The result is the same on any number of processes.
 * Compiled with -fopenmp, the steps are shared by threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { TAG_DOWN = 1, TAG_UP, TAG_RIGHT, TAG_LEFT };

struct options {
	int size;	/* inner cells along each edge of the plate */
	int steps;
	int check;	/* steps between two looks at how much still changes */
	int go_on;	/* 0: wrong or asked for help, already said */
};

/* A process's part of the plate: rows x columns cells with a border of one cell around. */
struct block {
	MPI_Comm row;		/* those beside us, left to right */
	MPI_Comm column;	/* those above and below, top to bottom */
	int left, right;	/* ranks in row, or MPI_PROC_NULL */
	int above, below;	/* ranks in column */
	int first_row, rows;
	int first_column, columns;
	double *now;
	double *next;
	MPI_Datatype edge;	/* a column of cells */
};

static void usage(void)
{
	fprintf(stderr, "usage: solver [-n SIZE] [-i STEPS] [-c STEPS-BETWEEN-CHECKS]\n");
}

static void parse_options(struct options *o, int argc, char **argv)
{
	int c;

	*o = (struct options){ .size = 200, .steps = 500, .check = 50, .go_on = 1 };
	while ((c = getopt(argc, argv, "n:i:c:h")) != -1) {
		if (c == 'n')
			o->size = atoi(optarg);
		else if (c == 'i')
			o->steps = atoi(optarg);
		else if (c == 'c')
			o->check = atoi(optarg);
		else
			o->go_on = 0;
	}
	if (optind < argc || o->size < 1 || o->steps < 0 || o->check < 1)
		o->go_on = 0;
	if (!o->go_on)
		usage();
}

static double *cell(const struct block *b, double *values, int row, int column)
{
	return &values[(size_t)row * (b->columns + 2) + column];
}

/* Cells of part `part` of `parts`, the first of them in *first. */
static int share(int cells, int parts, int part, int *first)
{
	int rest = cells % parts;

	*first = cells / parts * part + (part < rest ? part : rest);
	return cells / parts + (part < rest);
}

/* Rows and columns of processes become communicators of their own, so that neighbours are rank +- 1. */
static void make_communicators(struct block *b)
{
	char name[MPI_MAX_OBJECT_NAME];
	int grid[2] = { 0, 0 };
	int rank;
	int size;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, grid);
	MPI_Comm_split(MPI_COMM_WORLD, rank / grid[1], rank, &b->row);
	snprintf(name, sizeof(name), "row %d", rank / grid[1]);
	MPI_Comm_set_name(b->row, name);
	MPI_Comm_split(MPI_COMM_WORLD, rank % grid[1], rank, &b->column);
	snprintf(name, sizeof(name), "column %d", rank % grid[1]);
	MPI_Comm_set_name(b->column, name);
}

static void neighbours(MPI_Comm comm, int *rank, int *size, int *before, int *after)
{
	MPI_Comm_rank(comm, rank);
	MPI_Comm_size(comm, size);
	*before = *rank > 0 ? *rank - 1 : MPI_PROC_NULL;
	*after = *rank < *size - 1 ? *rank + 1 : MPI_PROC_NULL;
}

static void make_block(struct block *b, int size)
{
	size_t cells;
	int parts;
	int part;

	make_communicators(b);
	neighbours(b->row, &part, &parts, &b->left, &b->right);
	b->columns = share(size, parts, part, &b->first_column);
	neighbours(b->column, &part, &parts, &b->above, &b->below);
	b->rows = share(size, parts, part, &b->first_row);
	cells = (size_t)(b->rows + 2) * (b->columns + 2);
	b->now = calloc(cells, sizeof(*b->now));
	b->next = calloc(cells, sizeof(*b->next));
	if (!b->now || !b->next) {
		fprintf(stderr, "solver: not enough memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (int c = 0; b->above == MPI_PROC_NULL && c < b->columns + 2; c++)
		*cell(b, b->now, 0, c) = *cell(b, b->next, 0, c) = 100;
	MPI_Type_vector(b->rows, 1, b->columns + 2, MPI_DOUBLE, &b->edge);
	MPI_Type_commit(&b->edge);
}

static void free_block(struct block *b)
{
	MPI_Type_free(&b->edge);
	MPI_Comm_free(&b->row);
	MPI_Comm_free(&b->column);
	free(b->now);
	free(b->next);
}

static void exchange_rows(struct block *b)
{
	int n = b->columns;

	MPI_Sendrecv(cell(b, b->now, b->rows, 1), n, MPI_DOUBLE, b->below, TAG_DOWN,
		     cell(b, b->now, 0, 1), n, MPI_DOUBLE, b->above, TAG_DOWN, b->column,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(cell(b, b->now, 1, 1), n, MPI_DOUBLE, b->above, TAG_UP,
		     cell(b, b->now, b->rows + 1, 1), n, MPI_DOUBLE, b->below, TAG_UP, b->column,
		     MPI_STATUS_IGNORE);
}

/* Every other process sends first, so that no two wait for each other. */
static void exchange_columns(struct block *b)
{
	double *first = cell(b, b->now, 1, 1);
	double *last = cell(b, b->now, 1, b->columns);
	int rank;

	MPI_Comm_rank(b->row, &rank);
	if (rank % 2 == 0) {
		MPI_Send(last, 1, b->edge, b->right, TAG_RIGHT, b->row);
		MPI_Send(first, 1, b->edge, b->left, TAG_LEFT, b->row);
	}
	MPI_Recv(first - 1, 1, b->edge, b->left, TAG_RIGHT, b->row, MPI_STATUS_IGNORE);
	MPI_Recv(last + 1, 1, b->edge, b->right, TAG_LEFT, b->row, MPI_STATUS_IGNORE);
	if (rank % 2 != 0) {
		MPI_Send(last, 1, b->edge, b->right, TAG_RIGHT, b->row);
		MPI_Send(first, 1, b->edge, b->left, TAG_LEFT, b->row);
	}
}

/* Each cell becomes the mean of its four neighbours. Returns the greatest change in this block. */
static double step(struct block *b)
{
	double change = 0;
	double *done = b->next;

#pragma omp parallel for reduction(max:change)
	for (int r = 1; r <= b->rows; r++) {
		const double *above = cell(b, b->now, r - 1, 0);
		const double *here = cell(b, b->now, r, 0);
		const double *below = cell(b, b->now, r + 1, 0);
		double *out = cell(b, b->next, r, 0);

		for (int c = 1; c <= b->columns; c++) {
			out[c] = 0.25 * (above[c] + below[c] + here[c - 1] + here[c + 1]);
			change = fmax(change, fabs(out[c] - here[c]));
		}
	}
	b->next = b->now;
	b->now = done;
	return change;
}

static void solve(struct block *b, const struct options *o)
{
	double change;
	double most;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; i <= o->steps; i++) {
		exchange_rows(b);
		exchange_columns(b);
		change = step(b);
		if (i % o->check)
			continue;
		MPI_Allreduce(&change, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		if (rank == 0)
			printf("step %d: greatest change %.6e\n", i, most);
	}
}

/* Rank 0 sums the plate up row by row, so that the sum does not depend on how it was divided. */
static double sum_up(const double *parts, const int *extents, const int *places, int size, int ranks)
{
	double *plate = calloc((size_t)size * size, sizeof(*plate));
	double sum = 0;

	if (!plate) {
		fprintf(stderr, "solver: not enough memory for the result\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
		return 0;
	}
	for (int p = 0; p < ranks; p++) {
		const int *e = &extents[4 * p];

		for (int r = 0; r < e[1]; r++)
			memcpy(&plate[(size_t)(e[0] + r) * size + e[2]],
			       &parts[places[p] + (size_t)r * e[3]], e[3] * sizeof(*plate));
	}
	for (size_t i = 0; i < (size_t)size * size; i++)
		sum += plate[i];
	free(plate);
	return sum;
}

/* Collects the plate in rank 0 and prints its checksum. */
static void collect(struct block *b, int size)
{
	int mine[4] = { b->first_row, b->rows, b->first_column, b->columns };
	double *part = calloc((size_t)b->rows * b->columns + 1, sizeof(*part));
	double *parts = NULL;
	int *extents;
	int *counts;
	int *places;
	int ranks;
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	extents = calloc(6 * (size_t)ranks, sizeof(*extents));
	if (rank == 0)
		parts = calloc((size_t)size * size, sizeof(*parts));
	if (!part || !extents || (rank == 0 && !parts)) {
		fprintf(stderr, "solver: not enough memory to collect the result\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
		return;
	}
	counts = extents + 4 * (size_t)ranks;
	places = counts + ranks;
	for (int r = 0; r < b->rows; r++)
		memcpy(&part[(size_t)r * b->columns], cell(b, b->now, r + 1, 1),
		       b->columns * sizeof(*part));
	MPI_Gather(mine, 4, MPI_INT, extents, 4, MPI_INT, 0, MPI_COMM_WORLD);
	for (int p = 0, place = 0; p < ranks; p++) {
		counts[p] = extents[4 * p + 1] * extents[4 * p + 3];
		places[p] = place;
		place += counts[p];
	}
	MPI_Gatherv(part, b->rows * b->columns, MPI_DOUBLE, parts, counts, places, MPI_DOUBLE, 0,
		    MPI_COMM_WORLD);
	if (rank == 0)
		printf("checksum %.12e\n", sum_up(parts, extents, places, size, ranks));
	free(extents);
	free(parts);
	free(part);
}

int main(int argc, char **argv)
{
	struct options options;
	struct block block;
	int provided;
	int rank;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		parse_options(&options, argc, argv);
	MPI_Bcast(&options, sizeof(options) / sizeof(int), MPI_INT, 0, MPI_COMM_WORLD);
	if (options.go_on) {
		make_block(&block, options.size);
		MPI_Barrier(MPI_COMM_WORLD);
		solve(&block, &options);
		collect(&block, options.size);
		free_block(&block);
	}
	MPI_Finalize();
	return options.go_on ? 0 : 2;
}
