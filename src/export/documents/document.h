/* SPDX-License-Identifier: BSD-3-Clause */
/* How this folder writes documents. For this folder only. */
#ifndef HYB_EXPORT_DOCUMENTS_DOCUMENT_H
#define HYB_EXPORT_DOCUMENTS_DOCUMENT_H

#include <jansson.h>
#include <stdio.h>

/* Writes it and gives it back; 0, or -ENOMEM where it is NULL. Errors of the file are left to who closes it. */
int hyb_json_document(json_t *document, FILE *to);

#endif
