# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Where a command runs: in mounts, cpusets and limits of its own, as another user, and how it is
refused there. All are prefixes of a command; the machine stays as it was."""

import functools
import os
import subprocess
import unittest

import runner

NOBODY = 65534
SECOND_USER = 65533
# of perf tests; a larger one only if a smaller one does not do
BUDGETS = '50ms', '500ms', '5s'
ASAN = os.environ.get('STINT_ASAN') == '1'
# variables of a run in which the sanitizer cannot look for leaks, or EAL itself leaks
NO_LEAK_CHECK = {'ASAN_OPTIONS': ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'),
                                                        'detect_leaks=0']))}

# DIR CPUS command: a cpuset cgroup, which is removed in the end
CPUSET = '''
dir=$1 cpus=$2
shift 2
mount -t cgroup -o cpuset none "$dir" 2>/dev/null || mount -t cgroup2 none "$dir" || exit 98
group=$dir/stint-test-$$
mkdir "$group" || exit 98
mems=$(cat "$dir/cpuset.mems" 2>/dev/null || cat "$dir/cpuset.mems.effective")
echo "$mems" >"$group/cpuset.mems" && echo "$cpus" >"$group/cpuset.cpus" || exit 98
sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
code=$?
rmdir "$group"
exit $code
'''

NO_HUGETLBFS = '''
for dir in $(awk '$3 == "hugetlbfs" { print $2 }' /proc/mounts); do umount "$dir"; done
'''


def shell(script, *arguments):
    """`script` runs before the command, in mounts of its own, and shifts its arguments away."""
    return ('unshare', '--mount', 'sh', '-ec', f'{script}\nexec "$@"', 'sh',
            *map(str, arguments))


def in_cpuset(cpus):
    """`cpus` of the kernel's; the controller is mounted where no test looks."""
    return ('unshare', '--mount', 'sh', '-c', CPUSET, 'sh', '/mnt', cpus)


def no_hugetlbfs():
    return shell(NO_HUGETLBFS)


def hugetlbfs(folder, options='mode=755'):
    """One hugetlbfs, and no other."""
    return shell(NO_HUGETLBFS + 'mount -t hugetlbfs -o "$2" none "$1"; shift 2', folder, options)


def hidden(*folders):
    """Something empty lies over each of these."""
    return shell('for dir in ' + ' '.join(map(str, folders)) +
                 '; do mount -t tmpfs -o ro none "$dir"; done')


def user(uid):
    return ('setpriv', f'--reuid={uid}', f'--regid={uid}', '--clear-groups')


@functools.cache
def may_confine():
    """Root, mounts and a cpuset controller that is free to be used."""
    if not runner.may_mount() or not {0, 1} <= os.sched_getaffinity(0):
        return False
    probe = subprocess.run([*in_cpuset('1'), 'cat', '/proc/self/status'],
                           capture_output=True, text=True, check=False)
    return probe.returncode == 0 and 'Cpus_allowed_list:\t1\n' in probe.stdout


@functools.cache
def nobody_can_run():
    return os.geteuid() == 0 and subprocess.run(
        [*user(NOBODY), runner.STINT, '--', '--list'], check=False, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL).returncode == 0


needs_cpuset = unittest.skipUnless(may_confine(), 'needs root, CPUs 0 and 1, and cpuset cgroups')
needs_users = unittest.skipUnless(nobody_can_run(),
                                  'needs root, and a folder that every user may enter')


class Case(runner.Case):
    def assert_refused(self, result, code, *words):
        """One line that names the cause; `words`: what it matches."""
        told = f'{result.args}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}'
        self.assertEqual(result.returncode, code, told)
        self.assertEqual(result.stdout, '', told)
        self.assert_line(result.stderr, told, *words)

    def assert_short(self, result, *words):
        """The machine has not that much: the line may stand where skips of tests stand."""
        told = f'{result.args}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}'
        self.assertEqual(result.returncode, 77, told)
        text = result.stdout + result.stderr
        self.assertIn('skip', text, told)
        self.assert_line(text, told, *words)

    def assert_line(self, text, told, *words):
        self.assertEqual(text.count('\n'), 1, told)
        self.assertRegex(text, r'\A(stint|\w+): \S', told)
        for word in words:
            self.assertRegex(text, word, told)
        if not any('Permission' in word for word in words):
            self.assertNotIn('Permission denied', text, told)

    def enough(self, command, *more, run=runner.stint, **options):
        """Runs with a budget that lets something be measured even beside other work."""
        for budget in BUDGETS:
            result = run(command.replace('-- ', f'-- --budget {budget} ', 1), *more, **options)
            if 'no point was measured' not in result.stdout:
                break
        return result

    def measured_all(self, command, **options):
        """As measured(), with a budget that gives each point a value; the path and the result."""
        for budget in BUDGETS:
            path = self.folder / f'{len(list(self.folder.iterdir()))}.ndjson'
            result = runner.stint(
                command.replace('-- ', f'-- --budget {budget} --results {path} ', 1), **options)
            found = runner.records(path, 'result') if path.exists() else []
            if result.returncode != 77 and all(
                    one['points_done'] + one['points_skipped'] == one['points'] for one in found):
                break
        self.assert_exit(result, 0)
        return path, result

    def measured_ids(self, path):
        """Lcores of each sample."""
        return [sample['lcores'] for sample in runner.records(path, 'sample')]
