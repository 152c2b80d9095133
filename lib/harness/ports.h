/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#ifndef STINT_PORTS_H
#define STINT_PORTS_H

/** @file Ethernet ports of the machine, and the lcores that serve them. */

#include "machine.h"

/**
 * Before EAL has started: as many ports as its arguments name, one at least, as it may find some
 * by itself. Pure.
 */
void stint_ports_guess(struct stint_machine *m);

/**
 * What EAL has found. `ours`: devices that EAL's arguments name are the user's wish; in a program
 * that has started EAL they are that program's. EAL started, main lcore.
 */
void stint_ports_find(struct stint_machine *m, bool ours);

/**
 * Put the lcores in the order in which a test that uses ports takes them: lcore i serves port i
 * modulo the number of ports, and is on its socket where it has one. The main lcore stays first, a
 * port of its socket comes before the others. Pure.
 */
void stint_ports_deal_lcores(struct stint_machine *m);

/** Find the ports of a machine, and make `ported` the same with the lcores dealt. */
void stint_ports_take(struct stint_machine *m, struct stint_machine *ported, bool ours);

#endif /* STINT_PORTS_H */
