import { parseArgs } from "node:util";
import { nearest } from "../../lib/kernel/suggestions.ts";
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
 * Reads `-name value`, `-name=value` and `-switch`; two dashes work as well. A value may begin with a dash, as digests do, unless it is
 * the name of a flag.
 * @throws UsageError on unknown flags, missing values and anything that is no flag
 * @throws HelpRequest with the flags when one of the arguments asks for help
 */
export function parseFlags<const Kinds extends FlagKinds>(args: readonly string[], kinds: Kinds): Flags<Kinds> {
  return parsed(args, kinds, false).flags;
}

/** The same for a command that takes words that are no flags, too, in their order. */
export function parseArguments<const Kinds extends FlagKinds>(args: readonly string[], kinds: Kinds): Parsed<Kinds> {
  return parsed(args, kinds, true);
}

interface Parsed<Kinds extends FlagKinds> {
  readonly flags: Flags<Kinds>;
  readonly words: readonly string[];
}

function parsed<const Kinds extends FlagKinds>(
  args: readonly string[],
  kinds: Kinds,
  allowPositionals: boolean,
): Parsed<Kinds> {
  if (args.some(asksForHelp)) throw new HelpRequest(kinds);
  const options = Object.fromEntries(Object.entries(kinds).map(([name, type]) => [name, { type }]));
  try {
    const { values, positionals } = parseArgs({
      args: withValues(args, kinds),
      ...{ options, allowPositionals, strict: true },
    });
    return { flags: values as Flags<Kinds>, words: positionals };
  } catch (error) {
    if (!isParseError(error)) throw error;
    const known = [...Object.keys(kinds), "help"].map((name) => `-${name}`);
    const mistake = (error.message.split(/\.(\s|$)/)[0] ?? "").replaceAll("--", "-");
    const [, mistyped = ""] = /^Unknown option '(-[^']*)'/.exec(mistake) ?? [];
    throw new UsageError(`${mistake};${didYouMean(mistyped, known)} accepted: ${known.join(", ")}.`);
  }
}

/** ` did you mean "serve"?`; empty where no known word is near. */
export function didYouMean(mistyped: string, known: readonly string[]): string {
  const meant = nearest(mistyped, known);
  return mistyped === "" || meant === undefined ? "" : ` did you mean ${JSON.stringify(meant)}?`;
}

/** `-h` or `-help`, with one dash or two. */
export function asksForHelp(argument: string | undefined): boolean {
  return /^--?h(elp)?$/.test(argument ?? "");
}

/** Every flag with two dashes, and its value joined to it: apart, the parser takes no value that begins with a dash. */
function withValues(args: readonly string[], kinds: FlagKinds): readonly string[] {
  const kindOf = (argument: string) => {
    const name = flagName(argument);
    return name !== undefined && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  };
  const given: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] ?? "";
    const value = args[at + 1];
    const takesIt = kindOf(argument) === "string" && !argument.includes("=");
    if (takesIt && value !== undefined && kindOf(value) === undefined) {
      given.push(`--${flagName(argument)}=${value}`);
      at++;
    } else given.push(argument.replace(/^-(?=[A-Za-z])/, "--"));
  }
  return given;
}

/** The name in `-name`, `--name` and `-name=value`. */
function flagName(argument: string): string | undefined {
  return /^--?([A-Za-z][^=]*)/.exec(argument)?.[1];
}

function isParseError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
