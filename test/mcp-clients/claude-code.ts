import { access, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Missing, missingIfUnreachable } from "../other-sdks/missing.ts";
import { runCommand } from "./program.ts";

/** Claude Code as npm brings it: one program for each system, without what its installation script does. */
const VERSION = "2.1.332";
const PROGRAM = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;

/** It is some hundred megabytes. */
const INSTALL_WITHIN_MS = 300_000;

export interface ClaudeCode {
  /** Runs a line of a shell at a terminal, where `claude` is installed; resolves to what it printed, colours and all. */
  inTerminal(line: string, onOutput?: (text: string) => void): Promise<string>;
}

/**
 * It needs no account for what it does with its list of servers, and asks nobody else.
 *
 * @throws Missing without npm's registry, or without a program that opens a terminal
 */
export async function installClaudeCode(home: string): Promise<ClaudeCode> {
  const folder = join(home, "claude-code");
  const script = "/usr/bin/script";
  await access(script).catch(() => {
    throw new Missing("There is no terminal for Claude Code: util-linux's `script` is not here.");
  });
  await mkdir(join(folder, "bin"), { recursive: true });
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder];
  // npm as it is set up here: its registry, its certificates.
  const { HOME = folder, ...variables } = process.env as Record<string, string>;
  const options = { home: HOME, variables, folder, within: INSTALL_WITHIN_MS };
  const installed = await runCommand("npm", ["install", ...flags, `${PROGRAM}@${VERSION}`], options);
  if (installed.code !== 0) throw missingIfUnreachable("Claude Code could not be installed.", installed.stderr);
  await symlink(join(folder, "node_modules", PROGRAM, "claude"), join(folder, "bin/claude"));
  const quiet = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    TERM: "xterm",
  };
  return {
    inTerminal: async (line, onOutput) => {
      const options = { home: folder, folder, variables: quiet, ...(onOutput && { onStdout: onOutput }) };
      // As wide as no address is, so that none is broken.
      const { stdout } = await runCommand(script, ["-qfc", `stty cols 4000; ${line}`, "/dev/null"], options);
      return stdout;
    },
  };
}
