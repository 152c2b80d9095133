/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

/*
 * Each case describes a machine as a folder: the files of `base`, changed by its own. What was read
 * is written out one line a topic, and all lines are compared: with the case's own `want`, or where
 * it has none with that of `base`.
 */

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <rte_common.h>

#include <host.h>

#define CPU "/sys/devices/system/cpu/"
#define NODE "/sys/devices/system/node/node"
#define SMALL "hugepages-2048kB/"
#define LARGE "hugepages-1048576kB/"
#define POOL "/sys/kernel/mm/hugepages/"
#define CG "/sys/fs/cgroup"

#define V1(controller) \
	"30 23 0:28 / " CG "/" controller " rw,relatime - cgroup cgroup rw," controller "\n"
#define V2(dir) "31 23 0:29 / " dir " rw,relatime shared:4 master:2 - cgroup2 cgroup2 rw\n"

struct file {
	const char *path;
	const char *text; /* NULL: remove it, or the folder */
};

static const struct file base[] = {
	{ "/proc/sys/kernel/hostname", "box\n" },
	{ "/proc/sys/kernel/osrelease", "6.1.0-test\n" },
	{ "/proc/cpuinfo",
	  "processor\t: 0\nmodel name\t: Test CPU @ 2.00GHz\n"
	  "flags\t\t: fpu tsc constant_tsc nonstop_tsc\n\nprocessor\t: 1\n\nprocessor\t: 2\n\n"
	  "processor\t: 3\n" },
	{ "/proc/meminfo", "MemTotal: 4096000 kB\nMemFree: 1024000 kB\nHugepagesize: 2048 kB\n" },
	{ "/proc/mounts", "proc /proc proc rw 0 0\n" },
	{ "/proc/self/status", "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-127\n" },
	{ CPU "online", "0-3\n" },
	{ CPU "isolated", "\n" },
	{ CPU "cpu0/cpufreq/scaling_governor", "performance\n" },
	{ NODE "0/cpulist", "0-3\n" },
	{ NODE "0/meminfo", "Node 0 MemTotal: 4096000 kB\nNode 0 MemFree:  1024000 kB\n" },
	{ NODE "0/" SMALL "nr_hugepages", "not where they are\n" },
	{ NODE "0/hugepages/" SMALL "nr_hugepages", "8\n" },
	{ NODE "0/hugepages/" SMALL "free_hugepages", "6\n" },
	{ POOL SMALL "nr_hugepages", "8\n" },
	{ POOL SMALL "free_hugepages", "6\n" },
	{ POOL SMALL "resv_hugepages", "0\n" },
	{ POOL SMALL "surplus_hugepages", "0\n" },
	{ POOL SMALL "nr_overcommit_hugepages", "0\n" },
};

/* 1024000 KiB = 1000 MiB; 6 pages of 2 MiB = 12 MiB. All sizes in MiB unless with a "k". */
static const char base_want[] =
	"names: box|Test CPU @ 2.00GHz|6.1.0-test|performance\n"
	"there: sys proc constant nonstop\n"
	"cpus: online 0-3 allowed 0-3 cpuset 0-3 isolated \n"
	"sockets: 1, 0=0-3\n"
	"siblings:\n"
	"quota: 0\n"
	"memory: 1000\n"
	"pages: 2048k total 8 free 6 start 6 overcommit 0 cgroup none -> 12;\n"
	"mounts:\n"
	"limits: files none open 0 file none address none threads none\n";

static const struct host_case {
	const char *name;
	struct file files[24]; /* ended by an empty one */
	const char *want;
} cases[] = {
	{ "base", { { NULL, NULL } }, "" },
	{ "limits of the process",
	  { { "/proc/self/limits",
	      "Limit                     Soft Limit           Hard Limit           Units     \n"
	      "Max file size             4096                 unlimited            bytes     \n"
	      "Max address space         unlimited            unlimited            bytes     \n"
	      "Max processes             7                    8                    processes \n"
	      "Max open files            64                   1024                 files     \n" },
	    { "/proc/self/fd/0", "" },
	    { "/proc/self/fd/1", "" },
	    { "/proc/self/fd/2", "" } },
	  "limits: files 1024 open 2 file 4096 address none threads none\n" },
	{ "pids cgroups, version 1",
	  { { "/proc/self/cgroup", "8:pids:/a/b\n" },
	    { "/proc/self/mountinfo", V1("pids") },
	    { CG "/pids/a/b/pids.max", "max\n" },
	    { CG "/pids/a/b/pids.current", "3\n" },
	    { CG "/pids/a/pids.max", "20\n" },
	    { CG "/pids/a/pids.current", "9\n" } },
	  "limits: files none open 0 file none address none threads 11\n" },
	{ "pids cgroups, version 2, full",
	  { { "/proc/self/cgroup", "0::/a\n" },
	    { "/proc/self/mountinfo", V2(CG) },
	    { CG "/a/pids.max", "20\n" },
	    { CG "/a/pids.current", "21\n" } },
	  "limits: files none open 0 file none address none threads 0\n" },
	{ "two sockets, pages on one",
	  { { CPU "online", "0-7" },
	    { NODE "1/cpulist", "4-7" },
	    { NODE "1/meminfo", "Node 1 MemFree: 512000 kB" }, /* 500 MiB */
	    { NODE "0/hugepages/" SMALL "nr_hugepages", "0" },
	    { NODE "0/hugepages/" SMALL "free_hugepages", "0" },
	    { NODE "1/hugepages/" SMALL "nr_hugepages", "64" },
	    { NODE "1/hugepages/" SMALL "free_hugepages", "60" } },
	  "cpus: online 0-7 allowed 0-7 cpuset 0-7 isolated \n"
	  "sockets: 2, 0=0-3 1=4-7\nmemory: 1000 500\n"
	  "pages: 2048k total 0 64 free 0 60 start 0 60 overcommit 0 cgroup none -> 0 120;\n" },
	{ "node 8 without CPUs, nodes between missing",
	  { { NODE "8/cpulist", "\n" },
	    { NODE "8/meminfo", "Node 8 MemFree: 2048 kB" },
	    { NODE "8/hugepages/" SMALL "nr_hugepages", "5" },
	    { NODE "8/hugepages/" SMALL "free_hugepages", "5" } },
	  /* EAL leaves out nodes without CPUs */
	  "sockets: 9, 0=0-3\nmemory: 1000 0 0 0 0 0 0 0 2\n"
	  "pages: 2048k total 8 0 0 0 0 0 0 0 5 free 6 0 0 0 0 0 0 0 5 start 6 0 0 0 0 0 0 0 0 "
	  "overcommit 0 cgroup none -> 12 0 0 0 0 0 0 0 10;\n" },
	{ "1 GiB pages only",
	  { { POOL SMALL, NULL },
	    { POOL LARGE "free_hugepages", "3" },
	    { NODE "0/hugepages/" LARGE "nr_hugepages", "4" },
	    { NODE "0/hugepages/" LARGE "free_hugepages", "3" } },
	  "pages: 1048576k total 4 free 3 start 3 overcommit 0 cgroup none -> 3072;\n" },
	{ "sizes ascend",
	  { { POOL LARGE "free_hugepages", "0" },
	    { POOL "hugepages-64kB/free_hugepages", "0" },
	    { NODE "0/hugepages/hugepages-64kB/nr_hugepages", "32" },
	    { NODE "0/hugepages/hugepages-64kB/free_hugepages", "32" } },
	  "pages: 64k total 32 free 32 start 32 overcommit 0 cgroup none -> 2;"
	  " 2048k total 8 free 6 start 6 overcommit 0 cgroup none -> 12;"
	  " 1048576k total 0 free 0 start 0 overcommit 0 cgroup none -> 0;\n" },
	{ "SMT",
	  { { CPU "cpu0/topology/core_cpus_list", "0,2" },
	    { CPU "cpu2/topology/core_cpus_list", "0,2" },
	    { CPU "cpu2/topology/thread_siblings_list", "2-3" },
	    { CPU "cpu1/topology/thread_siblings_list", "1,3" },
	    { CPU "cpu3/topology/thread_siblings_list", "1,3" } },
	  "siblings: 2>0 3>1\n" },
	{ "quota v1: 150 ms in 100 ms; own group without",
	  { { "/proc/self/cgroup", "3:cpuset:/z\n4:cpu,cpuacct:/a/b\n" },
	    { "/proc/self/mountinfo", V2("/unused") V1("cpuset") V1("cpu") },
	    { CG "/cpu/a/b/cpu.cfs_quota_us", "-1" },
	    { CG "/cpu/a/b/cpu.cfs_period_us", "100000" },
	    { CG "/cpu/a/cpu.cfs_quota_us", "150000" },
	    { CG "/cpu/a/cpu.cfs_period_us", "100000" } },
	  "quota: 1.5\n" },
	{ "quota v2: the parent is stricter",
	  { { "/proc/self/cgroup", "0::/a/b\n" },
	    { "/proc/self/mountinfo", V2(CG) },
	    { CG "/a/b/cpu.max", "200000 100000" },
	    { CG "/a/cpu.max", "25000 50000" },
	    { CG "/cpu.max", "max 100000" } },
	  "quota: 0.5\n" },
	{ "hybrid: quota v1, cpuset v2",
	  { { "/proc/self/cgroup", "1:name=systemd:/x\n2:cpu:/c\n0::/u\n" },
	    { "/proc/self/mountinfo", V1("cpu") V2(CG "/unified") },
	    { CG "/cpu/c/cpu.cfs_quota_us", "20000" },
	    { CG "/cpu/c/cpu.cfs_period_us", "10000" },
	    { CG "/unified/cpuset.cpus.effective", "0-2" },
	    { CG "/unified/u/cgroup.procs", "" } },
	  "quota: 2\ncpus: online 0-3 allowed 0-3 cpuset 0-2 isolated \n" },
	{ "path of the host seen in a container: mount point taken",
	  { { "/proc/self/cgroup", "0::/../../outer\n" },
	    { "/proc/self/mountinfo", V2(CG) },
	    { "/sys/outer/cpu.max", "1000 100000" },
	    { CG "/cpu.max", "300000 100000" } },
	  "quota: 3\n" },
	{ "part of a hierarchy is mounted, at a folder with a space",
	  { { "/proc/self/cgroup", "4:cpu:/docker/abc/d\n" },
	    { "/proc/self/mountinfo",
	      "30 23 0:28 /docker/abc /my\\040cg rw - cgroup cgroup rw,cpuacct,cpu\n" },
	    { "/my cg/cpu.cfs_quota_us", "400000" },
	    { "/my cg/cpu.cfs_period_us", "100000" },
	    { "/my cg/d/cpu.cfs_quota_us", "50000" },
	    { "/my cg/d/cpu.cfs_period_us", "100000" } },
	  "quota: 0.5\n" },
	{ "hugetlb v1: parent has least left, 10 - 2 MiB",
	  { { "/proc/self/cgroup", "4:hugetlb:/a/b\n" },
	    { "/proc/self/mountinfo", V1("hugetlb") },
	    { CG "/hugetlb/hugetlb.2MB.limit_in_bytes", "9223372036852678656" },
	    { CG "/hugetlb/hugetlb.2MB.usage_in_bytes", "1048576000" },
	    { CG "/hugetlb/a/hugetlb.2MB.limit_in_bytes", "10485760" },
	    { CG "/hugetlb/a/hugetlb.2MB.usage_in_bytes", "2097152" },
	    { CG "/hugetlb/a/hugetlb.1GB.limit_in_bytes", "0" },
	    { CG "/hugetlb/a/b/hugetlb.2MB.limit_in_bytes", "10485760" },
	    { CG "/hugetlb/a/b/hugetlb.2MB.usage_in_bytes", "0" } },
	  "pages: 2048k total 8 free 6 start 6 overcommit 0 cgroup 8 -> 8;\n" },
	{ "hugetlb v1: no limit",
	  { { "/proc/self/cgroup", "4:hugetlb:/\n" },
	    { "/proc/self/mountinfo", V1("hugetlb") },
	    { CG "/hugetlb/hugetlb.2MB.limit_in_bytes", "9223372036852678656" },
	    { CG "/hugetlb/hugetlb.2MB.usage_in_bytes", "0" } },
	  "" },
	{ "hugetlb v2: a limit for each size, reservations too, over the limit",
	  { { "/proc/self/cgroup", "0::/p/a\n" },
	    { "/proc/self/mountinfo", V2(CG "/p") },
	    { CG "/p/hugetlb.2MB.rsvd.max", "20971520" },
	    { CG "/p/p/a/hugetlb.2MB.max", "max" },
	    { CG "/p/p/a/hugetlb.2MB.current", "4194304" },
	    { CG "/p/p/a/hugetlb.2MB.rsvd.max", "7340032" }, /* 7 MiB: three whole pages */
	    { CG "/p/p/a/hugetlb.2MB.rsvd.current", "0" },
	    { CG "/p/p/a/hugetlb.1GB.max", "1073741824" },
	    { CG "/p/p/a/hugetlb.1GB.current", "2147483648" },
	    { POOL LARGE "free_hugepages", "1" },
	    { NODE "0/hugepages/" LARGE "nr_hugepages", "1" },
	    { NODE "0/hugepages/" LARGE "free_hugepages", "1" } },
	  "pages: 2048k total 8 free 6 start 6 overcommit 0 cgroup 7 -> 6;"
	  " 1048576k total 1 free 1 start 1 overcommit 0 cgroup 0 -> 0;\n" },
	{ "cpuset v1 of one CPU",
	  { { "/proc/self/cgroup", "3:cpuset:/one\n" },
	    { "/proc/self/mountinfo", V1("cpuset") },
	    { CG "/cpuset/cpuset.cpus", "0-3" },
	    { CG "/cpuset/one/cpuset.cpus", "2" },
	    { "/proc/self/status", "Cpus_allowed_list:\t2\n" } },
	  "cpus: online 0-3 allowed 2 cpuset 2 isolated \n" },
	{ "cpuset v1: effective is what counts",
	  { { "/proc/self/cgroup", "3:cpuset:/one\n" },
	    { "/proc/self/mountinfo", V1("cpuset") },
	    { CG "/cpuset/one/cpuset.cpus", "1-3" },
	    { CG "/cpuset/one/cpuset.effective_cpus", "3" } },
	  "cpus: online 0-3 allowed 0-3 cpuset 3 isolated \n" },
	{ "no /sys",
	  { { "/sys", NULL } },
	  "names: box|Test CPU @ 2.00GHz|6.1.0-test|\nthere: proc constant nonstop\n"
	  "pages:\n" },
	{ "no /proc",
	  { { "/proc", NULL } },
	  "names: |||performance\nthere: sys constant nonstop\n" },
	{ "no nodes",
	  { { "/sys/devices/system/node", NULL }, { POOL SMALL "resv_hugepages", "1" } },
	  /* EAL finds none on a node either: its count at start leaves reserved pages out */
	  "pages: 2048k total 8 free 5 start 5 overcommit 0 cgroup none -> 10;\n" },
	{ "overcommit: 10 less 3 surplus, besides free pages",
	  { { POOL SMALL "nr_overcommit_hugepages", "10" },
	    { POOL SMALL "surplus_hugepages", "3" } },
	  /* (6 + 7) x 2 */
	  "pages: 2048k total 8 free 6 start 6 overcommit 7 cgroup none -> 26;\n" },
	{ "overcommit alone: EAL counts it, less than the memory there is",
	  { { POOL SMALL "nr_overcommit_hugepages", "10000" },
	    { POOL SMALL "free_hugepages", "0" },
	    { NODE "0/hugepages/" SMALL "free_hugepages", "0" },
	    { "/proc/meminfo", "MemFree: 20480 kB\n" } },
	  /* the machine has 20 MiB, 10 pages; its node claims 1000 */
	  "pages: 2048k total 8 free 0 start 10000 overcommit 10 cgroup none -> 20;\n" },
	{ "overcommit by node: memory of the other node does not help",
	  { { NODE "1/meminfo", "Node 1 MemFree: 5000 kB" }, /* two whole pages */
	    { "/proc/meminfo", "MemFree: 1029000 kB\n" },
	    { POOL SMALL "nr_overcommit_hugepages", "100" } },
	  /* 6 + 100 pages, 0 + 2 pages; 5000 KiB are 4 whole MiB */
	  "sockets: 2, 0=0-3\nmemory: 1000 4\n"
	  "pages: 2048k total 8 0 free 6 0 start 6 0 overcommit 100 cgroup none -> 212 4;\n" },
	{ "reserved pages, one node",
	  { { POOL SMALL "resv_hugepages", "4" } },
	  "pages: 2048k total 8 free 2 start 6 overcommit 0 cgroup none -> 4;\n" },
	{ "reserved pages, two nodes: taken off both",
	  { { NODE "1/hugepages/" SMALL "nr_hugepages", "9" },
	    { NODE "1/hugepages/" SMALL "free_hugepages", "3" },
	    { NODE "1/cpulist", "3" },
	    { NODE "0/cpulist", "0-2" },
	    { POOL SMALL "resv_hugepages", "4" } },
	  "sockets: 2, 0=0-2 1=3\nmemory: 1000 1000\n"
	  "pages: 2048k total 8 9 free 2 0 start 6 3 overcommit 0 cgroup none -> 4 0;\n" },
	{ "all free pages reserved: overcommit is left",
	  { { POOL SMALL "resv_hugepages", "7" },
	    { POOL SMALL "nr_overcommit_hugepages", "2" },
	    { NODE "0/hugepages/" SMALL "free_hugepages", "0" } },
	  "pages: 2048k total 8 free 0 start 2 overcommit 2 cgroup none -> 4;\n" },
	{ "bound to node 1",
	  { { "/proc/self/status", "Mems_allowed_list:\t1\n" },
	    { NODE "1/hugepages/" SMALL "nr_hugepages", "4" },
	    { NODE "1/hugepages/" SMALL "free_hugepages", "4" } },
	  "sockets: 2, 0=0-3\nmemory: 1000 1000\n"
	  "pages: 2048k total 8 4 free 0 4 start 6 0 overcommit 0 cgroup none -> 0 8;\n" },
	{ "CPUs with gaps, above 128, above what a set holds",
	  { { CPU "online", "0-1,5,130-131,1022-1030" },
	    { CPU "cpu131/topology/core_cpus_list", "130-131" },
	    { NODE "0/cpulist", "0-1,5" },
	    { NODE "3/cpulist", "130-131" },
	    { NODE "3/meminfo", "Node 3 MemFree: 1024 kB" },
	    { "/proc/self/status", "Cpus_allowed_list:\t1-2,131,1023-8191\n" } },
	  "cpus: online 0-1,5,130-131,1022-1023 allowed 1,131,1023 "
	  "cpuset 0-1,5,130-131,1022-1023 isolated \n"
	  "sockets: 4, 0=0-1,5,1022-1023 3=130-131\nsiblings: 131>130\nmemory: 1000 0 0 1\n"
	  "pages: 2048k total 8 0 0 0 free 6 0 0 0 start 6 0 0 0 overcommit 0 cgroup none "
	  "-> 12 0 0 0;\n" },
	{ "isolated CPUs, power saving, TSC that stops",
	  { { CPU "isolated", "1,3\n" },
	    { CPU "cpu0/cpufreq/scaling_governor", "powersave\n" },
	    { "/proc/cpuinfo",
	      "processor : 0\nmodel name : V\nflags : tsc constant_tsc not_nonstop_tsc\n" } },
	  "names: box|V|6.1.0-test|powersave\nthere: sys proc constant\n"
	  "cpus: online 0-3 allowed 0-3 cpuset 0-3 isolated 1,3\n" },
	{ "TSC of changing rate",
	  { { "/proc/cpuinfo", "flags : constant_tsc_x tsc nonstop_tsc\n" } },
	  "names: box||6.1.0-test|performance\nthere: sys proc nonstop\n" },
	{ "path that does not exist in a container",
	  { { "/proc/self/cgroup", "0::/kubepods/pod1\n" },
	    { "/proc/self/mountinfo", V2(CG) },
	    { CG "/cpu.max", "70000 100000" } },
	  "quota: 0.7\n" },
	{ "not x86",
	  { { "/proc/cpuinfo", "processor : 0\nFeatures : fp asimd\n" } },
	  "names: box||6.1.0-test|performance\n" },
	{ "mounts",
	  { { "/proc/mounts", "none /dev/huge\\040pages hugetlbfs rw,relatime,pagesize=2M 0 0\n"
			      "none /a\\134b hugetlbfs rw,pagesize=1024M,size=3g,min_size=1g 0 0\n"
			      "tmpfs /t tmpfs rw,size=64k 0 0\n"
			      "none /c hugetlbfs rw,min_size=4096k,size=6291456 0 0\n"
			      "none /d hugetlbfs size=50% 0 0\n"
			      "none /e hugetlbfs pagesize=64K,size=many 0 0\n" } },
	  /* /d: half of 8 pages of 2 MiB */
	  "mounts: '/dev/huge pages' 2048k none; '/a\\b' 1048576k 3072; '/c' 2048k 6; "
	  "'/d' 2048k 8; '/e' 64k none;\n" },
	{ "garbage",
	  { { CPU "online", "0-\n" }, /* then the CPUs of /proc/cpuinfo */
	    { CPU "isolated", "3-1\n" },
	    { CPU "cpu1/topology/core_cpus_list", "0,2" },
	    { NODE "0/cpulist", "zero" },
	    { NODE "0/meminfo", "\001\002\n" },
	    { "/proc/self/status", "Cpus_allowed_list:\t,\nMems_allowed_list\n" },
	    { "/proc/self/cgroup", "0\n\n::\n0::/a\n2:cpu\n3:cpu:/a\n3:cpuset:/a\n" },
	    { "/proc/self/mountinfo", "30 - -\n - cgroup2\n" V2(CG) V1("cpu") V1("cpuset") },
	    { CG "/cpu.max", "most 100000\n" },
	    { CG "/cpu/a/cpu.cfs_quota_us", "5000" },
	    { CG "/cpu/a/cpu.cfs_period_us", "0" },
	    { CG "/cpuset/a/cpuset.cpus", "9" }, /* none of these is on line */
	    { NODE "0/hugepages/" SMALL "nr_hugepages", "-5" },
	    { NODE "0/hugepages/" SMALL "free_hugepages", "6 or so" },
	    { POOL SMALL "nr_hugepages", "99999999999999999999999" },
	    { POOL SMALL "free_hugepages", "" },
	    { POOL "hugepages-xkB/free_hugepages", "7" },
	    { "/proc/mounts", "none /h hugetlbfs\nnone\n\nnone /i hugetlbfs rw,pagesize=0x2 0 0" },
	    { "/proc/meminfo", "Hugepagesize: big\nMemFree:1024000 kB" } },
	  "pages: 2048k total 0 free 0 start 0 overcommit 0 cgroup none -> 0;\n"
	  "mounts: '/i' 0k none;\n" },
};

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static void
remove_tree(const char *path)
{
	assert_int_equal(nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void
put(const char *root, const struct file *file)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, file->path);
	if (file->text == NULL) {
		remove_tree(path);
		return;
	}
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(file->text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void
read_case(struct stint_host *host, const struct host_case *c)
{
	char root[] = "/tmp/stint-host-XXXXXX";

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < RTE_DIM(base); i++)
		put(root, &base[i]);
	for (const struct file *file = c->files; file->path != NULL; file++)
		put(root, file);
	assert_int_equal(stint_host_read(host, root), 0);
	remove_tree(root);
}

static const char *
mib(uint64_t bytes)
{
	static char text[2][32];
	static unsigned int turn;
	char *out = text[turn++ % 2];

	snprintf(out, sizeof(text[0]), "%" PRIu64, bytes >> 20);
	return bytes == UINT64_MAX ? "none" : out;
}

static const char *
list(const cpu_set_t *set)
{
	static char text[4][256];
	static unsigned int turn;

	return stint_cpulist_format(text[turn++ % 4], sizeof(text[0]), set);
}

static void
counts(FILE *out, const char *label, const uint64_t *count, unsigned int n)
{
	fprintf(out, " %s", label);
	for (unsigned int i = 0; i < n; i++)
		fprintf(out, " %" PRIu64, count[i]);
	for (unsigned int i = n; i < RTE_MAX_NUMA_NODES; i++)
		assert_int_equal(count[i], 0);
}

static void
write_cpus(FILE *out, const struct stint_host *host)
{
	cpu_set_t set;

	fprintf(out, "cpus: online %s allowed %s cpuset %s isolated %s\n", list(&host->online),
		list(&host->allowed), list(&host->cpuset), list(&host->isolated));
	fprintf(out, "sockets: %u,", host->sockets);
	for (unsigned int node = 0; node < RTE_MAX_NUMA_NODES; node++) {
		CPU_ZERO(&set);
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (CPU_ISSET(cpu, &host->online) && host->socket[cpu] == (int)node)
				CPU_SET(cpu, &set);
		}
		if (CPU_COUNT(&set) > 0)
			fprintf(out, " %u=%s", node, list(&set));
	}
	fprintf(out, "\nsiblings:");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (host->sibling[cpu] != cpu)
			fprintf(out, " %d>%d", cpu, host->sibling[cpu]);
	}
	fprintf(out, "\nquota: %g\n", host->quota_cpus);
}

static void
write_memory(FILE *out, const struct stint_host *host)
{
	fprintf(out, "memory:");
	for (unsigned int node = 0; node < host->sockets; node++)
		fprintf(out, " %s", mib(host->mem_free_bytes[node]));
	fprintf(out, "\npages:");
	for (unsigned int i = 0; i < host->n_pages; i++) {
		const struct stint_host_pages *p = &host->pages[i];

		fprintf(out, " %" PRIu64 "k", p->page_bytes >> 10);
		counts(out, "total", p->total, host->sockets);
		counts(out, "free", p->free, host->sockets);
		counts(out, "start", p->at_start, host->sockets);
		fprintf(out, " overcommit %" PRIu64 " cgroup %s ->", p->overcommit,
			mib(p->cgroup_bytes));
		for (unsigned int node = 0; node < host->sockets; node++)
			fprintf(out, " %s", mib(stint_host_free_bytes(host, p, node)));
		fprintf(out, ";");
	}
	fprintf(out, "\nmounts:");
	for (unsigned int i = 0; i < host->n_mounts; i++)
		fprintf(out, " '%s' %" PRIu64 "k %s;", host->mounts[i].dir,
			host->mounts[i].page_bytes >> 10, mib(host->mounts[i].limit_bytes));
	fprintf(out, "\n");
}

static const char *
plain(uint64_t value)
{
	static char text[5][32];
	static unsigned int turn;
	char *out = text[turn++ % 5];

	snprintf(out, sizeof(text[0]), "%" PRIu64, value);
	return value == UINT64_MAX ? "none" : out;
}

static void
write_limits(FILE *out, const struct stint_host *host)
{
	fprintf(out, "limits: files %s open %s file %s address %s threads %s\n",
		plain(host->max_files), plain(host->open_files), plain(host->max_file_bytes),
		plain(host->max_address_bytes), plain(host->more_threads));
}

static char *
write_host(const struct stint_host *host)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "names: %s|%s|%s|%s\n", host->name, host->cpu_model, host->kernel,
		host->governor);
	fprintf(out, "there:%s%s%s%s\n", host->have_sys ? " sys" : "",
		host->have_proc ? " proc" : "", host->constant_tsc ? " constant" : "",
		host->nonstop_tsc ? " nonstop" : "");
	write_cpus(out, host);
	write_memory(out, host);
	write_limits(out, host);
	fclose(out);
	return text;
}

/* The line of a text that begins like `line` up to its colon, without its end. */
static char *
like(const char *text, const char *line)
{
	size_t n = strcspn(line, ":") + 1;

	while (*text != '\0' && strncmp(text, line, n) != 0)
		text += strcspn(text, "\n") + 1;
	return *text != '\0' ? strndup(text, strcspn(text, "\n")) : NULL;
}

static void
test_case(void **state)
{
	const struct host_case *c = *state;
	struct stint_host host;
	char *text, *rest, *line;

	read_case(&host, c);
	text = rest = write_host(&host);
	while ((line = strsep(&rest, "\n")) != NULL && *line != '\0') {
		char *want = like(c->want, line);

		if (want == NULL)
			want = like(base_want, line);
		assert_non_null(want);
		assert_string_equal(line, want);
		free(want);
	}
	free(text);
}

static void
test_no_cpus(void **state)
{
	struct stint_host host;

	(void)state;
	assert_int_equal(stint_host_read(&host, "/nonexistent"), -ENODEV);
	assert_false(host.have_sys || host.have_proc);
}

static void
test_pages(void **state)
{
	struct stint_host host;

	(void)state;
	read_case(&host, &cases[0]);
	assert_ptr_equal(stint_host_pages(&host, 2 << 20), &host.pages[0]);
	assert_null(stint_host_pages(&host, 1 << 30));
	assert_int_equal(stint_host_free_bytes(&host, &host.pages[0], RTE_MAX_NUMA_NODES), 0);
}

static void
test_cpulist(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *formatted;
	} lists[] = {
		{ "", 0, "" },
		{ "\n", 0, "" },
		{ "0", 0, "0" },
		{ "0-3,8\n", 0, "0-3,8" },
		{ "8,0,1", 0, "0-1,8" },
		{ "3-3", 0, "3" },
		{ "0-1023", 0, "0-1023" },
		{ "1023,1024", -ERANGE, "1023" },
		{ "5-4294967295", -ERANGE, "5-1023" },
		{ "5000", -ERANGE, "" },
		{ "3-1", -EINVAL, "" },
		{ "1,", -EINVAL, "" },
		{ ",1", -EINVAL, "" },
		{ "1,,2", -EINVAL, "" },
		{ "1-", -EINVAL, "" },
		{ "-1", -EINVAL, "" },
		{ "+1", -EINVAL, "" },
		{ " 1", -EINVAL, "" },
		{ "1 2", -EINVAL, "" },
		{ "0x1", -EINVAL, "" },
		{ "1\n2", -EINVAL, "" },
		{ "2000,x", -EINVAL, "" },
	};
	cpu_set_t set;
	char text[8];

	(void)state;
	for (size_t i = 0; i < RTE_DIM(lists); i++) {
		assert_int_equal(stint_cpulist_parse(lists[i].text, &set), lists[i].rc);
		assert_string_equal(list(&set), lists[i].formatted);
	}
	/* "1,3-5,9" takes 8 bytes, "1,3-5,10" one more */
	stint_cpulist_parse("1,3-5,9", &set);
	assert_string_equal(stint_cpulist_format(text, sizeof(text), &set), "1,3-5,9");
	stint_cpulist_parse("1,3-5,10", &set);
	assert_string_equal(stint_cpulist_format(text, sizeof(text), &set), "1,3-5");
}

static void
test_this_machine(void **state)
{
	struct stint_host host;
	char name[256];
	cpu_set_t set;

	(void)state;
	assert_int_equal(stint_host_read(&host, ""), 0);
	assert_int_equal(CPU_COUNT(&host.online), sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_true(CPU_EQUAL(&host.allowed, &set));
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_memory_equal(host.name, name, strnlen(name, sizeof(host.name) - 1));
	assert_true(host.have_proc);
}

int
main(void)
{
	struct CMUnitTest tests[RTE_DIM(cases) + 4] = {
		cmocka_unit_test(test_no_cpus),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_cpulist),
		cmocka_unit_test(test_this_machine),
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++)
		tests[4 + i] = (struct CMUnitTest){ .name = cases[i].name,
						    .test_func = test_case,
						    .initial_state = (void *)(uintptr_t)&cases[i] };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
