#!/usr/bin/env node
import { ConfigurationError } from "../../lib/config/messages.ts";
import { SecretError } from "../../lib/secrets/provider.ts";
import type { Command, CommandIo } from "./io.ts";
import { StartupError } from "./startup-error.ts";
import { UsageError } from "./usage-error.ts";

/** Each command is loaded when it is called, so that `-version` does not load the server. */
const COMMANDS: Readonly<Record<string, () => Promise<{ readonly run: Command }>>> = {
  serve: () => import("./commands/serve.ts"),
  validate: () => import("./commands/validate.ts"),
  compile: () => import("./commands/compile.ts"),
  tools: () => import("./commands/tools.ts"),
  client: () => import("./commands/client.ts"),
  owner: () => import("./commands/owner.ts"),
  token: () => import("./commands/token.ts"),
  version: () => import("./commands/version.ts"),
};

const USAGE = `countersign -config FILE [-secretProvider URL] [-verbose]   serve
countersign -version
countersign validate -config FILE                           check a configuration, start nothing
countersign compile -config FILE -out FILE                  make the artifact for Workers and Lambda
countersign tools -config FILE [-json]                      list the tools and what was left out
countersign client create|list|show|delete|add-key|revoke-key -config FILE …
countersign owner -config FILE -email EMAIL                 print a one-time sign-in link
countersign token -issuer URL -client ID -key FILE          sign an assertion, print a token

Variables: SVC_CONFIG, SVC_SECRET_PROVIDER, SVC_DEBUG_MODE=true
`;

async function main(args: readonly string[], io: CommandIo): Promise<number> {
  const [first, ...rest] = args;
  if (first === "help" || /^--?h(elp)?$/.test(first ?? "")) {
    io.stdout(USAGE);
    return 0;
  }
  try {
    if (first === undefined || first.startsWith("-")) return await runCommand("serve", args, io);
    return await runCommand(first, rest, io);
  } catch (error) {
    io.stderr(`${reasonOf(error)}\n`);
    return 1;
  }
}

async function runCommand(name: string, args: readonly string[], io: CommandIo): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    throw new UsageError(`Unknown command ${name}; accepted: ${Object.keys(COMMANDS).join(", ")}.`);
  }
  const { run } = await load();
  return run(args, io);
}

/** Expected reasons are told in their own words; anything else is a mistake of ours and comes with its stack. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected = [ConfigurationError, SecretError, StartupError, UsageError].some((kind) => error instanceof kind);
  return expected ? error.message : (error.stack ?? error.message);
}

process.exitCode = await main(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  environment: process.env,
});
