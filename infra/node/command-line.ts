import { secretValues } from "../../lib/logging/secret-values.ts";
import { credentialsIn } from "../../lib/secrets/provider-url.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, expectedExit } from "./exit-codes.ts";
import { failureReason } from "./failure-reason.ts";
import { asksForHelp, didYouMean, HelpRequest } from "./flags.ts";
import { actionsHelp, commandHelp, overview } from "./help.ts";
import type { CommandIo } from "./io.ts";
import { UsageError } from "./usage-error.ts";

/** Runs what was typed behind `countersign`; resolves to what the process ends with, and never rejects. */
export async function runCommandLine(args: readonly string[], io: CommandIo): Promise<number> {
  const [first, ...rest] = args;
  try {
    if (first === "help") return await help(rest, io);
    if (asksForHelp(first)) return await help([], io);
    if (first === "-v") return await shortVersion(rest, io);
    if (first === undefined || first.startsWith("-")) return await runCommand("serve", args, io);
    return await runCommand(first, rest, io);
  } catch (error) {
    const reason = withoutCredentials(failureReason(error), [...args, io.environment.SVC_SECRET_PROVIDER ?? ""]);
    io.stderr(`${io.style?.("stderr", "red", reason) ?? reason}\n`);
    return expectedExit(error) ?? EXIT.fault;
  }
}

/** `countersign -v`: what people type who want to know the version. Beside other flags some mean `-verbose`. */
async function shortVersion(rest: readonly string[], io: CommandIo): Promise<number> {
  if (rest.length > 0) throw new UsageError("-v stands alone, and prints the version; beside others, write -verbose.");
  return runCommand("version", [], io);
}

/** `countersign help`, `countersign help COMMAND` */
async function help([command, ...rest]: readonly string[], io: CommandIo): Promise<number> {
  if (command !== undefined) return runCommand(command, [...rest, "-help"], io);
  io.stdout(overview());
  return 0;
}

async function runCommand(name: string, args: readonly string[], io: CommandIo): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    const known = [...Object.keys(COMMANDS), "help"];
    throw new UsageError(`Unknown command ${name};${didYouMean(name, known)} accepted: ${known.join(", ")}.`);
  }
  const [action] = args;
  const actions = actionsHelp(name);
  if (actions !== undefined && (action === "help" || asksForHelp(action))) {
    io.stdout(actions);
    return 0;
  }
  const { run } = await load();
  try {
    return await run(args, io);
  } catch (error) {
    if (!(error instanceof HelpRequest)) throw error;
    io.stdout(commandHelp(actions === undefined ? name : `${name} ${action}`, error.kinds));
    return 0;
  }
}

/** A provider's URL may have been typed at the place of another argument, which errors quote. */
function withoutCredentials(text: string, given: readonly string[]): string {
  const credentials = secretValues();
  given.flatMap(credentialsIn).forEach(credentials.add);
  return credentials.redact(text);
}
