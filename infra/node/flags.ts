import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

/** Flags of a command: `string` takes a value, `boolean` does not. */
export type FlagKinds = Readonly<Record<string, "string" | "boolean">>;

export type Flags<Kinds extends FlagKinds> = {
  readonly [Name in keyof Kinds]?: Kinds[Name] extends "string" ? string : boolean;
};

/** Not a mistake: whoever typed the command asked what it takes. */
export class HelpRequest extends Error {
  readonly kinds: FlagKinds;
  constructor(kinds: FlagKinds) {
    super("The command was asked for its flags.");
    this.name = "HelpRequest";
    this.kinds = kinds;
  }
}

/**
 * Reads `-name value`, `-name=value` and `-switch`; two dashes work as well.
 * @throws UsageError on unknown flags, missing values and anything that is no flag
 * @throws HelpRequest with the flags when one of the arguments asks for help
 */
export function parseFlags<const Kinds extends FlagKinds>(args: readonly string[], kinds: Kinds): Flags<Kinds> {
  if (args.some(asksForHelp)) throw new HelpRequest(kinds);
  const options = Object.fromEntries(Object.entries(kinds).map(([name, type]) => [name, { type }]));
  try {
    return parseArgs({ args: args.map(withTwoDashes), options, strict: true }).values as Flags<Kinds>;
  } catch (error) {
    if (!isParseError(error)) throw error;
    const known = [...Object.keys(kinds), "help"].map((name) => `-${name}`);
    throw new UsageError(
      `${(error.message.split(/\.(\s|$)/)[0] ?? "").replaceAll("--", "-")}; accepted: ${known.join(", ")}.`,
    );
  }
}

/** `-h` or `-help`, with one dash or two. */
export function asksForHelp(argument: string | undefined): boolean {
  return /^--?h(elp)?$/.test(argument ?? "");
}

function withTwoDashes(argument: string): string {
  return /^-[A-Za-z]/.test(argument) ? `-${argument}` : argument;
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
