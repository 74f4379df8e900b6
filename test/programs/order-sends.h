/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes of order.c that are about tests of what is not a receive: sends, windows, parts of a message. */

/* Messages of sizes around those from which on MPIs wait for the receiver: whether a send is complete is asked for. */
static void sends(void)
{
	static float v[64 * 1024];
	MPI_Request request;
	MPI_Status status;
	int flag;

	for (int i = 0; i < rounds; i++) {
		const int count = 512 << i % 8;

		if (!rank) {
			for (int k = 1; k < size; k++) {
				linger();
				MPI_Recv(v, count, MPI_FLOAT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &status);
				add(v[0], &status);
			}
			continue;
		}
		v[0] = value(rank, i);
		MPI_Isend(v, count, MPI_FLOAT, 0, i, MPI_COMM_WORLD, &request);
		for (int asked = 0, done = 0; !done; asked++) {
			MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
			done = flag || asked == 3;
			see(flag);
		}
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

static bool is_told(MPI_Request *request, int how)
{
	MPI_Status status;
	int flag, index;

	switch (how) {
	case 0:
		MPI_Test(request, &flag, MPI_STATUS_IGNORE);
		return flag;
	case 1:
		MPI_Testany(1, request, &index, &flag, &status);
		return flag;
	case 2:
		MPI_Testsome(1, request, &flag, &index, &status);
		return flag;
	case 3:
		MPI_Testall(1, request, &flag, &status);
		return flag;
	default:
		MPI_Request_get_status(*request, &flag, &status);
		return flag;
	}
}

/*
 * What is sent is received only after another message that comes after it. MPI may have taken it at once, which a test
 * tells; then its buffer is used for something else.
 */
static void eager_sender(float *v, int count, MPI_Datatype type, int round)
{
	MPI_Request request;
	bool told = false;

	for (int k = 0; k < 2 * count; k++)
		v[k] = value(rank, round + k);
	if (type == MPI_FLOAT)
		MPI_Isend(v, count, type, 0, round, MPI_COMM_WORLD, &request);
	else
		MPI_Isend(v, 1, type, 0, round, MPI_COMM_WORLD, &request);
	for (int asked = 0; asked < 20 && !told; asked++)
		told = is_told(&request, round % 5);
	see(told);
	for (int k = 0; told && k < 2 * count; k++)
		v[k] = -1;
	if (told && round % 2)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Send(NULL, 0, MPI_FLOAT, 0, rounds + round, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void eager(void)
{
	static float v[2 * 4096];
	MPI_Datatype every_second;
	MPI_Status status;

	for (int i = 0; i < rounds; i++) {
		const int count = 256 + 500 * (i % 8);

		MPI_Type_vector(count, 1, 2, MPI_FLOAT, &every_second);
		MPI_Type_commit(&every_second);
		if (rank)
			eager_sender(v, count, i % 3 ? MPI_FLOAT : every_second, i);
		for (int k = 1; !rank && k < size; k++) {
			MPI_Recv(NULL, 0, MPI_FLOAT, MPI_ANY_SOURCE, rounds + i, MPI_COMM_WORLD, &status);
			MPI_Recv(v, count, MPI_FLOAT, status.MPI_SOURCE, i, MPI_COMM_WORLD, &status);
			add(v[0], &status);
			add(v[count - 1], &status);
		}
		MPI_Type_free(&every_second);
	}
}

/* How often a test says no depends on when others are done with the window, or with a part. */
static void windows(void)
{
	int memory = 0, right = (rank + 1) % size, left = (rank + size - 1) % size, flag, v = rank;
	MPI_Group all, from, to;
	MPI_Win win;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &left, &from);
	MPI_Group_incl(all, 1, &right, &to);
	MPI_Win_create(&memory, sizeof(memory), sizeof(memory), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int i = 0; i < rounds; i++) {
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		linger();
		MPI_Put(&v, 1, MPI_INT, right, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
		do {
			MPI_Win_test(win, &flag);
			see(flag);
		} while (!flag);
	}
	MPI_Win_free(&win);
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Group_free(&all);
}

#ifdef HYB_HAS_MPI_Psend_init
#define PARTS 4

static void parts(void)
{
	float v[PARTS] = { 0 }, w[PARTS];
	MPI_Request requests[2];
	MPI_Status statuses[2];
	int flag;

	MPI_Psend_init(v, PARTS, 1, MPI_FLOAT, (rank + 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
	MPI_Precv_init(w, PARTS, 1, MPI_FLOAT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
	for (int i = 0; i < rounds; i++) {
		MPI_Startall(2, requests);
		for (int k = 0; k < PARTS; k++) {
			v[k] = value(rank, i + k);
			linger();
			MPI_Pready(k, requests[0]);
		}
		for (int k = 0; k < PARTS; k++) {
			do {
				MPI_Parrived(requests[1], k, &flag);
				see(flag);
			} while (!flag);
			sum += w[k];
		}
		MPI_Waitall(2, requests, statuses);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}
#else
static void parts(void)
{
	see(0);
}
#endif
