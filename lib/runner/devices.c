/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/* to ask devices whether they are probed; there is no other way that is public */
#define ALLOW_EXPERIMENTAL_API

#include "devices.h"

#include "eal_says.h"

#include <stdbool.h>
#include <string.h>

#include <rte_bus.h>
#include <rte_common.h>
#include <rte_dev.h>
#include <rte_devargs.h>
#include <rte_errno.h>

/* An address of PCI may be typed without its domain: the bus compares. */
static bool
is_probed(const struct rte_devargs *named)
{
	const char *bus = rte_bus_name(named->bus);
	bool pci = strcmp(bus, "pci") == 0;
	struct rte_dev_iterator it;
	struct rte_device *dev;
	char filter[128];

	snprintf(filter, sizeof(filter), "bus=%s%s%s", bus, pci ? ",addr=" : "",
		 pci ? named->name : "");
	/* a bus that cannot be asked; the call returns an error number that it may have found */
	rte_errno = 0;
	if (rte_dev_iterator_init(&it, filter) != 0)
		return true;
	while ((dev = rte_dev_iterator_next(&it)) != NULL) {
		if ((pci || strcmp(rte_dev_name(dev), named->name) == 0) && rte_dev_is_probed(dev))
			return true;
	}
	return false;
}

int
stint_devices_check(FILE *log, char *error, size_t size)
{
	struct rte_devargs *named;
	char said[256];

	RTE_EAL_DEVARGS_FOREACH(NULL, named)
	{
		if (named->policy == RTE_DEV_BLOCKED || is_probed(named))
			continue;
		stint_eal_says_of(log, named->name, said, sizeof(said));
		snprintf(error, size, "device %s of bus %s was named but does not come up%s%s%s",
			 named->name, rte_bus_name(named->bus), said[0] != '\0' ? " (" : "", said,
			 said[0] != '\0' ? ")" : "");
		return -1;
	}
	return 0;
}
