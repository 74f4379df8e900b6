/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that a matched probe has found: which communicator each came on. That one may be freed, and its handle be
 * another's, before the message is received. So what is kept is its id.
 */
#include "pmpi/adapter/handles/message.h"

#include "pmpi/adapter/handles/comm-create.h"

struct message {
	struct hyb_node node;	/* key: the handle */
	uint64_t comm1;		/* id of its communicator plus 1; 0: not known */
};

static struct hyb_trie messages;

void hyb_message_found(MPI_Comm comm, const int *flag, const MPI_Message *message)
{
	const struct hyb_comm *c;
	struct message *m;

	if ((flag && !*flag) || *message == MPI_MESSAGE_NO_PROC)
		return;
	m = (struct message *)hyb_trie_add(&messages, HYB_HANDLE(*message), sizeof(*m));
	c = hyb_comm_get(comm);
	if (m)
		__atomic_store_n(&m->comm1, c ? (uint64_t)c->id + 1 : 0, __ATOMIC_RELAXED);
}

uint64_t hyb_message_comm1(const MPI_Message *message)
{
	struct hyb_node *node = message ? hyb_trie_find(&messages, HYB_HANDLE(*message)) : NULL;
	struct message *m = (struct message *)node;

	/* Who received the handle from another thread has it after the store. */
	return m ? __atomic_load_n(&m->comm1, __ATOMIC_RELAXED) : 0;
}
