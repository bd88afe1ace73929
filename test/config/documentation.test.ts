import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../infra/node/commands.ts";
import { HelpRequest } from "../../infra/node/flags.ts";
import { commandHelp, USAGES } from "../../infra/node/help.ts";
import type { Command } from "../../infra/node/io.ts";
import { documentSchema } from "../../lib/config/schema/document.ts";
import { WITHOUT_EFFECT } from "../../lib/config/warnings/without-effect.ts";

const PAGE = new URL("../../docs/configuration.md", import.meta.url);

/** Accepted by each command that opens the store; the overview leaves them out. */
const EVERYWHERE = new Set(["secretProvider", "verbose", "version"]);

/** As much of a zod definition as it takes to list its keys. */
interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly element?: Schema;
  /** Of a mapping with names of the document's own. */
  readonly valueType?: Schema;
  readonly options?: readonly Schema[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
}

interface Schema {
  readonly _zod: { readonly def: Definition };
}

function keysOf(schema: Schema): readonly string[] {
  const { type, innerType, element, valueType, options, shape, catchall } = schema._zod.def;
  if (innerType !== undefined) return keysOf(innerType);
  if (element !== undefined) return keysOf(element);
  if (valueType !== undefined) return keysOf(valueType);
  if (type === "union") return (options ?? []).flatMap(keysOf);
  // Open mappings are the formats of others, for example a JWK.
  if (catchall?._zod.def.type === "unknown") return [];
  return Object.entries(shape ?? {}).flatMap(([key, value]) => [key, ...keysOf(value)]);
}

test("every key of the schema is in the documentation", async () => {
  const page = await readFile(PAGE, "utf8");
  const keys = new Set(keysOf(documentSchema as unknown as Schema));
  expect(keys.size).toBeGreaterThan(80);
  expect([...keys].filter((key) => !new RegExp(`\\b${key}\\b`).test(page))).toEqual([]);
});

/** The flags that a command accepts, as it tells them itself. */
async function flagsOf(command: string): Promise<readonly string[]> {
  const [name = "", ...rest] = command.split(" ");
  const { run } = await (COMMANDS[name] as () => Promise<{ readonly run: Command }>)();
  const io = { stdout: () => undefined, stderr: () => undefined, environment: {} };
  const error: unknown = await run([...rest, "-help"], io).catch((cause: unknown) => cause);
  if (!(error instanceof HelpRequest)) throw new Error(`${command} shows no help: ${String(error)}`);
  const help = commandHelp(command, error.kinds);
  for (const line of help.split("\n").filter((one) => one.startsWith("  -"))) expect(line).toMatch(/ {3}\S/);
  return Object.keys(error.kinds).sort();
}

describe("the command line", () => {
  test("every command has its row in the documentation, with exactly its flags", async () => {
    const page = await readFile(PAGE, "utf8");
    const rows = [...page.matchAll(/^\| `countersign ?([^`]*)` +\| ([^|]*)\|/gm)];
    const documented = Object.fromEntries(
      rows.map(([, name = "", flags = ""]) => [
        name || "serve",
        [...flags.matchAll(/`-(\w+)`/g)].map(([, flag]) => flag as string).sort(),
      ]),
    );
    const actual = await Promise.all(Object.keys(USAGES).map(async (name) => [name, await flagsOf(name)]));
    expect(documented).toEqual(Object.fromEntries(actual));
  });

  test("the help knows every command and every action of client", async () => {
    expect(new Set(Object.keys(USAGES).map((name) => name.split(" ")[0]))).toEqual(new Set(Object.keys(COMMANDS)));
    const { run } = await import("../../infra/node/commands/client.ts");
    const io = { stdout: () => undefined, stderr: () => undefined, environment: {} };
    const actions = Object.keys(USAGES).flatMap((name) => /^client (.+)/.exec(name)?.[1] ?? []);
    await expect(run([], io)).rejects.toThrow(actions.join(", "));
  });

  test.each(Object.entries(USAGES))("the usage of %s names its flags", async (name, { usage }) => {
    const flags = await flagsOf(name);
    const named = [...usage.matchAll(/(?<![\w-])-(\w+)/g)].map(([, flag]) => flag as string);
    expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
    expect(flags.filter((flag) => !named.includes(flag) && !EVERYWHERE.has(flag))).toEqual([]);
  });
});

test("every key that is without effect somewhere is in the documentation's list of them", async () => {
  const page = await readFile(PAGE, "utf8");
  const list = page.slice(page.indexOf("### Keys without effect"));
  const keys = WITHOUT_EFFECT.map(({ path }) => path.join(".").replaceAll(".*", "[]"));
  expect(keys.filter((key) => !list.includes(`\`${key}\``))).toEqual([]);
});
