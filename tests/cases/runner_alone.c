/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* A runner with the autotests that it is built with, and none of its own. */

#include <stint.h>

int
main(int argc, char **argv)
{
	return stint_main(argc, argv);
}
