# SPDX-License-Identifier: BSD-3-Clause
# Copyright(c) 2026 The Stint authors
"""Configure, build, provide hugepages, run suites, count. Called by run-suite."""

import configparser
import contextlib
import json
import os
import signal
import subprocess
import sys

import hugepages
import testlog

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAST_LINES = 40
FAILED, WRONG_USAGE, SKIPPED, CANNOT_RUN = 1, 2, 77, 99
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """By a signal."""


class CannotRun(Exception):
    """The text is what the user reads."""


class Signals:
    """The first signal raises Stopped; those that follow must not disturb the clean-up."""

    def __init__(self):
        self.received = None
        self.is_held = False

    def install(self):
        for signum in SIGNALS:
            if signal.getsignal(signum) != signal.SIG_IGN:
                signal.signal(signum, self.receive)

    def receive(self, signum, _frame):
        for other in SIGNALS:
            signal.signal(other, signal.SIG_IGN)
        self.received = signum
        if not self.is_held:
            raise Stopped(signum)

    @contextlib.contextmanager
    def held(self):
        """Stopped comes at the end of the context, not in it."""
        self.is_held = True
        try:
            yield
        finally:
            self.is_held = False
        if self.received:
            raise Stopped(self.received)


signals = Signals()


def run(command, **options):
    """Like subprocess.run(), but a command that is stopped gets the time to clean up."""
    process = None
    try:
        with signals.held():
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
        output = process.communicate()
    except BaseException:
        if process:
            end(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, *output)


def end(process):
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()


def run_quietly(command):
    """Returns None, or what a command that failed printed: from the failure on, or its end."""
    result = run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                 text=True, errors='replace')
    if result.returncode == 0:
        return None
    lines = result.stdout.rstrip().split('\n')
    failure = next((i for i, line in enumerate(lines) if line.startswith('FAILED: ')), None)
    return '\n'.join(lines[-LAST_LINES:] if failure is None else lines[failure:][:LAST_LINES])


def source_of(build):
    """The source folder that a build folder was configured for; None if it is none."""
    try:
        with open(os.path.join(build, 'meson-info', 'meson-info.json'), encoding='utf-8') as file:
            return json.load(file)['directories']['source']
    except (OSError, ValueError, KeyError, TypeError):
        return None


def build_folder():
    build = os.path.abspath(os.environ.get('STINT_BUILD') or os.path.join(ROOT, 'build'))
    source = source_of(build)
    inside = os.path.commonpath([ROOT, build]) == ROOT
    if source and not inside and os.path.realpath(source) != os.path.realpath(ROOT):
        raise CannotRun(f'STINT_BUILD: {build} is the build folder of {source}')
    return build


def old_options(build):
    """The -D options that a build folder was set up with, as far as they can still be read."""
    parser = configparser.ConfigParser(delimiters=['='], interpolation=None)
    parser.optionxform = str
    try:
        parser.read(os.path.join(build, 'meson-private', 'cmd_line.txt'), encoding='utf-8')
    except (configparser.Error, UnicodeError):
        return []
    if not parser.has_section('options'):
        return []
    return [f'-D{name}={value}' for name, value in parser.items('options')]


def set_up(build):
    """
    Configure anew. Not `meson setup --wipe`, which refuses a half-made folder and deletes the run
    files in it.
    """
    options = old_options(build)
    for path in ('meson-private/coredata.dat', 'build.ninja', '.ninja_log', '.ninja_deps'):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.remove(os.path.join(build, path))
    failure = run_quietly(['meson', 'setup', *options, build, ROOT])
    if failure:
        raise CannotRun(f'{failure}\nrun-suite: meson setup failed, see above')


def compile_tree(build):
    """Sets up or configures again if need be, and compiles."""
    print(f'building in {build}', flush=True)
    configured = (os.path.exists(os.path.join(build, 'meson-private', 'coredata.dat')) and
                  os.path.realpath(source_of(build) or '/') == os.path.realpath(ROOT))
    if not configured or run_quietly(['ninja', '-C', build, 'build.ninja']):
        set_up(build)
    failure = run_quietly(['ninja', '-C', build])
    if failure:
        raise CannotRun(f'{failure}\nrun-suite: the build failed, see above')


# the tests of the programs themselves measure too, on up to 32 lcores; two of the cases run at once
OWN_TESTS_BYTES = {'fast-tests': 416 << 20, 'cases': 832 << 20, 'cases-brief': 832 << 20}


def ask_plan(build):
    """What the tests need and what there is; an empty list if the runner cannot tell."""
    try:
        plan = run([os.path.join(build, 'app', 'stint', 'stint'), '--', '--plan', '--json'],
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace')
    except OSError as error:
        print(f'hugepages: no plan: {error}', file=sys.stderr)
        return []
    if plan.returncode == WRONG_USAGE:
        print(plan.stderr.strip(), file=sys.stderr)
        sys.exit(WRONG_USAGE)
    try:
        return json.loads(plan.stdout)
    except ValueError:
        print(f'hugepages: no plan, stint ended with {plan.returncode}: {plan.stderr.strip()}',
              file=sys.stderr)
        return []


def run_tests(build, suites, meson_args):
    """Returns the exit code. A run that a signal ends is counted as far as it came."""
    before = testlog.log_state(build)
    command = ['meson', 'test', '-C', build, '--no-rebuild', '--print-errorlogs',
               *(f'--suite={suite}' for suite in suites), *meson_args]
    planned = ask_plan(build)
    plan = [test for test in planned if test.get('suite') in suites]
    own_bytes = max(OWN_TESTS_BYTES.get(suite, 0) for suite in suites)
    if planned and own_bytes > 0:
        plan.append({**planned[0], 'need_all_bytes': {'0': own_bytes}})
    missing = hugepages.missing_pages(plan)
    stopped = None
    meson_code = 0
    try:
        with hugepages.raised(missing):
            meson_code = run(command, env=dict(os.environ, PYTHONUNBUFFERED='1')).returncode
    except Stopped as error:
        stopped = error.args[0]
    results = testlog.read_results(build, before)
    passed, failed, skipped = testlog.count(results)
    if not stopped and passed + failed == 0:
        print(testlog.nothing_ran(results))
    print(testlog.closing_line(passed, failed, skipped), flush=True)
    if stopped:
        return 128 + stopped
    if failed:
        return FAILED
    return meson_code or (0 if passed else SKIPPED)


def main(argv):
    split = argv.index('--') if '--' in argv else len(argv)
    signals.install()
    try:
        build = build_folder()
        compile_tree(build)
        return run_tests(build, argv[:split], argv[split + 1:])
    except CannotRun as error:
        print(error, file=sys.stderr)
        return CANNOT_RUN
    except Stopped as error:
        return 128 + error.args[0]


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
