/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include <stint.h>

int
main(int argc, char **argv)
{
	return stint_main(argc, argv);
}
