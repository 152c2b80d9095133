/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "samples.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static int
write_one(const char *path, const uint64_t *cycles, uint64_t n, const struct stint_fixture *fx)
{
	FILE *file = fopen(path, "wxe");
	int rc;

	if (file == NULL)
		return -errno;
	fputs("round_trip_cycles,round_trip_ns\n", file);
	for (uint64_t i = 0; i < n; i++) {
		/* tenths as whole numbers, in any locale */
		const uint64_t tenths = stint_cycles_ns(fx, cycles[i]) * 10 + 0.5;

		fprintf(file, "%" PRIu64 ",%" PRIu64 ".%" PRIu64 "\n", cycles[i], tenths / 10,
			tenths % 10);
	}
	rc = ferror(file) ? -EIO : 0;
	return fclose(file) != 0 ? -errno : rc;
}

void
pp_samples_write(const struct pp_rig *rig, struct stint_fixture *fx)
{
	char path[PATH_MAX];
	int rc;

	for (unsigned int i = 0; rig->conf.options.keep && i < rig->conf.n_sizes; i++) {
		if (rig->n_samples[i] == 0)
			continue;
		pp_conf_samples_path(&rig->conf, rig->conf.sizes[i], path, sizeof(path));
		rc = write_one(path, rig->samples[i], rig->n_samples[i], fx);
		if (rc != 0)
			stint_fixture_fail(fx,
					   "samples of %" PRIu64 " bytes are not complete: %s: %s",
					   rig->conf.sizes[i], path, strerror(-rc));
	}
}
