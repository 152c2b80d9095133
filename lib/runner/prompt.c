/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The Stint authors
 */

#include "prompt.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <cmdline.h>
#include <cmdline_parse.h>
#include <cmdline_parse_string.h>
#include <cmdline_socket.h>

#include "registry.h"
#include "show.h"

/* What rte_cmdline takes. */
#define LINE_MAX_BYTES 256

/* rte_cmdline hands callbacks no context of their own: there is one prompt in a process. */
static struct {
	struct stint_session *s;
	const struct stint_options *o;
	stint_run_fn run;
	void *arg;
	bool quit;
	const struct termios *cooked; /* as the terminal was; NULL: none */
} prompt;

struct words {
	cmdline_fixed_string_t first, second;
};

static void
on_test(void *parsed, struct cmdline *cl, void *data)
{
	const struct words *words = parsed;

	struct termios raw;

	(void)cl;
	(void)data;
	/* while a test runs, Ctrl-C is a signal again, not a key */
	if (prompt.cooked != NULL) {
		tcgetattr(STDIN_FILENO, &raw);
		tcsetattr(STDIN_FILENO, TCSANOW, prompt.cooked);
	}
	prompt.run(prompt.arg, stint_registry_find(words->first));
	if (prompt.cooked != NULL)
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void
on_list(void *parsed, struct cmdline *cl, void *data)
{
	(void)parsed;
	(void)cl;
	(void)data;
	stint_show_list(prompt.s->out, false);
}

static void
on_plan(void *parsed, struct cmdline *cl, void *data)
{
	char error[512];

	(void)parsed;
	(void)cl;
	(void)data;
	if (stint_show_plan(prompt.s->out, prompt.s, prompt.o, error, sizeof(error)) != 0)
		fprintf(stderr, "stint: %s\n", error);
}

static void
on_help(void *parsed, struct cmdline *cl, void *data)
{
	(void)parsed;
	(void)cl;
	(void)data;
	fputs("TEST         run a test (the Tab key completes its name)\n"
	      "help TEST    its labels and parameters\n"
	      "list         the tests\n"
	      "plan         what they need, and what there is\n"
	      "quit         or the end of input\n",
	      prompt.s->out);
}

static void
on_help_test(void *parsed, struct cmdline *cl, void *data)
{
	const struct words *words = parsed;

	(void)cl;
	(void)data;
	stint_show_test(prompt.s->out, stint_registry_find(words->second));
}

static void
on_quit(void *parsed, struct cmdline *cl, void *data)
{
	(void)parsed;
	(void)data;
	prompt.quit = true;
	cmdline_quit(cl);
}

/* The names are filled in when the prompt begins. */
static cmdline_parse_token_string_t test_token = TOKEN_STRING_INITIALIZER(struct words, first, "");
static cmdline_parse_token_string_t about_token =
	TOKEN_STRING_INITIALIZER(struct words, second, "");
static cmdline_parse_token_string_t list_token =
	TOKEN_STRING_INITIALIZER(struct words, first, "list");
static cmdline_parse_token_string_t plan_token =
	TOKEN_STRING_INITIALIZER(struct words, first, "plan");
static cmdline_parse_token_string_t help_token =
	TOKEN_STRING_INITIALIZER(struct words, first, "help");
static cmdline_parse_token_string_t quit_token =
	TOKEN_STRING_INITIALIZER(struct words, first, "quit");

#define COMMAND(name, function, text, ...)                     \
	static cmdline_parse_inst_t name = { .f = function,    \
					     .help_str = text, \
					     .tokens = { __VA_ARGS__, NULL } }

COMMAND(test_command, on_test, "run a test", (void *)&test_token);
COMMAND(list_command, on_list, "the tests", (void *)&list_token);
COMMAND(plan_command, on_plan, "needs of the tests", (void *)&plan_token);
COMMAND(help_command, on_help, "this text", (void *)&help_token);
COMMAND(about_command, on_help_test, "a test's parameters", (void *)&help_token,
	(void *)&about_token);
COMMAND(quit_command, on_quit, "leave", (void *)&quit_token);

static cmdline_parse_ctx_t commands[] = {
	&test_command,  &list_command, &plan_command, &help_command,
	&about_command, &quit_command, NULL,
};

/* "a#b#c", as rte_cmdline takes alternatives. */
static char *
all_names(void)
{
	const struct stint_test *t;
	char *names = NULL;
	size_t size;
	FILE *f = open_memstream(&names, &size);

	if (f == NULL)
		return NULL;
	STINT_FOREACH_TEST (t)
		fprintf(f, "%s%s", t == stint_registry_first() ? "" : "#", t->name);
	fclose(f);
	return names;
}

static void
on_terminal(void)
{
	struct termios cooked;
	struct cmdline *cl;
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char c;

	if (tcgetattr(STDIN_FILENO, &cooked) == 0)
		prompt.cooked = &cooked;
	cl = cmdline_stdin_new(commands, "stint> ");
	if (cl == NULL)
		return;
	while (!prompt.quit && !stint_interrupted(prompt.s)) {
		/* a signal does not interrupt the call: it is taken by another thread */
		if (poll(&input, 1, 100) <= 0)
			continue;
		if (read(STDIN_FILENO, &c, 1) <= 0)
			break;
		/* Ctrl-D that was typed before the terminal was raw arrives as a NUL */
		if (c == '\0')
			c = '\004';
		if (cmdline_in(cl, &c, 1) < 0)
			break;
	}
	cmdline_stdin_exit(cl);
	prompt.cooked = NULL;
	fputc('\n', prompt.s->out);
}

static enum stint_exit
refuse(const char *line)
{
	char near[256];

	stint_registry_near(near, sizeof(near), line);
	fprintf(stderr, "stint: no command or test is named %s%s%s\n", line, near,
		near[0] == '\0' ? " (list, plan, help, quit, or a test)" : "");
	return STINT_USAGE;
}

static enum stint_exit
run_line(struct cmdline *cl, char *line)
{
	char *word = line + strspn(line, " \t\r\n");
	char command[LINE_MAX_BYTES];

	word[strcspn(word, "\r\n#")] = '\0';
	for (size_t n = strlen(word); n > 0 && strchr(" \t", word[n - 1]) != NULL; n--)
		word[n - 1] = '\0';
	if (*word == '\0')
		return STINT_PASS;
	if (strlen(word) >= sizeof(command) - 2)
		return refuse("a line so long");
	/* the parser wants the end of the line */
	snprintf(command, sizeof(command), "%s\n", word);
	if (cmdline_parse(cl, command) < 0)
		return refuse(word);
	stint_flush(prompt.s);
	return STINT_PASS;
}

static enum stint_exit
from_pipe(void)
{
	struct cmdline *cl = cmdline_new(commands, "", -1, STDOUT_FILENO);
	enum stint_exit rc = STINT_PASS;
	char *line = NULL;
	size_t size = 0;

	if (cl == NULL)
		return STINT_BROKEN;
	while (rc == STINT_PASS && !prompt.quit && !stint_interrupted(prompt.s) &&
	       getline(&line, &size, stdin) >= 0)
		rc = run_line(cl, line);
	free(line);
	cmdline_free(cl);
	return rc;
}

enum stint_exit
stint_prompt(struct stint_session *s, const struct stint_options *o, stint_run_fn run, void *arg)
{
	char *names = all_names();
	enum stint_exit rc = STINT_PASS;

	prompt.s = s;
	prompt.o = o;
	prompt.run = run;
	prompt.arg = arg;
	prompt.quit = false;
	test_token.string_data.str = names;
	about_token.string_data.str = names;
	if (isatty(STDIN_FILENO))
		on_terminal();
	else
		rc = from_pipe();
	free(names);
	return rc;
}
