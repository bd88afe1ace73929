import { execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completionOf } from "../../infra/node/commands/completion.ts";
import { listed } from "../../infra/node/commands/listed.ts";
import { run as token } from "../../infra/node/commands/token.ts";
import { run as tools } from "../../infra/node/commands/tools.ts";
import { COMMANDS } from "../../infra/node/commands.ts";
import { parseFlags } from "../../infra/node/flags.ts";
import { commandHelp, USAGES } from "../../infra/node/help.ts";
import type { CommandIo } from "../../infra/node/io.ts";
import { UsageError } from "../../infra/node/usage-error.ts";
import { commandFile } from "../support/shared-run/command.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";

const io: CommandIo = { stdout: () => undefined, stderr: () => undefined, columns: undefined, environment: {} };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-hints-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("only backup says that its file must not exist yet", () => {
  const kinds = { config: "string", out: "string" } as const;
  expect(commandHelp("compile", kinds)).toContain("-out FILE");
  expect(commandHelp("compile", kinds)).not.toMatch(/backup|new file/);
  expect(commandHelp("backup", kinds)).toContain("new file");
});

test("tools without a source names all that it takes one from", async () => {
  await expect(tools([], io)).rejects.toThrow(UsageError);
  await expect(tools([], io)).rejects.toThrow(
    /^No configuration: .*-config FILE.*SVC_CONFIG.*-openapi FILE\|URL, or an MCP server with -url URL\.$/,
  );
});

test.each(["nope", "ftp://x", "https://", "localhost:8080", "https://a.example/?tenant=1"])(
  "token says of the issuer %s what it takes",
  async (issuer) => {
    const key = join(folder, "key.pem");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
    const asked = token(["-issuer", issuer, "-client", "client_x", "-key", key], io);
    await expect(asked).rejects.toThrow(`-issuer: found "${issuer}"; accepted: an http or https URL`);
  },
);

test.each([
  [["-digest", "-pVq"], { digest: "-pVq" }],
  [["-digest", "--pVq", "-force"], { digest: "--pVq", force: true }],
  [["--digest", "-"], { digest: "-" }],
  [["-digest=-pVq=="], { digest: "-pVq==" }],
  [["-force", "-name", "-n"], { force: true, name: "-n" }],
  [["-digest", ""], { digest: "" }],
])("%j: a value may begin with a dash", (given, read) => {
  expect({ ...parseFlags(given, { digest: "string", name: "string", force: "boolean" }) }).toEqual(read);
});

test.each([[["-digest", "-name", "x"]], [["-digest", "-force"]], [["-digest"]], [["-digets", "x"]], [["-force", "x"]]])(
  "%j: a flag without its value, or that nobody knows, is a mistake",
  (given) => {
    const kinds = { digest: "string", name: "string", force: "boolean" } as const;
    expect(() => parseFlags(given, kinds)).toThrow(/accepted: -digest, -name, -force, -help\.$/);
  },
);

describe("completion", () => {
  const script = async (shell: string) => {
    let text = "";
    await completionOf(COMMANDS)([shell], { ...io, stdout: (more) => (text += more) });
    return text;
  };

  test.each([
    [["va"], "validate vault"],
    [["-conf"], "-config"],
    [["help", "back"], "backup"],
    [["client", "re"], "revoke-key"],
    [["client", "delete", "-re"], "-revokeTokens"],
    [["validate", "-config", "x.yaml", "-a"], "-allowUnserved"],
    [["validate", "-config", ""], ""],
    [["completion", ""], "bash zsh fish"],
    [["schema", "-"], "-help"],
  ])("bash completes %j", async (words, completed) => {
    const file = join(folder, "completion.sh");
    writeFileSync(file, await script("bash"));
    const asked = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _countersign; echo "\${COMPREPLY[*]}"`;
    const said = execFileSync("bash", ["-c", asked, file, "countersign", ...words], { encoding: "utf8" });
    expect(said.trim()).toBe(completed);
  });

  test("every command, action and flag is in what fish reads, each on a line of its own", async () => {
    const lines = (await script("fish")).trimEnd().split("\n");
    const named = lines.flatMap((line) => / -a ([a-z-]+) /.exec(line)?.[1] ?? []);
    expect(new Set(named)).toEqual(new Set(Object.keys(USAGES).flatMap((words) => words.split(" "))));
    expect(lines).toContainEqual(expect.stringMatching(/seen_subcommand_from publish' -o to -x -d 'store:, /));
    for (const line of lines)
      expect(line, line).toMatch(
        /^complete -c countersign -f -n (\w+|'[^']*') (-[aorxF]+ ?|[\w-]+ |'[^']*' ?)*(-d '([^'\\]|\\.)*')?$/,
      );
  });

  test("zsh reads what bash reads, and another shell is a mistake", async () => {
    expect(await script("zsh")).toBe(
      `#compdef countersign\nautoload -U +X bashcompinit && bashcompinit\n${await script("bash")}`,
    );
    await expect(script("tcsh")).rejects.toThrow("countersign completion needs one of bash, zsh, fish.");
  });
});

test("a mistyped flag is told what is meant", () => {
  expect(() => parseFlags(["-confg", "x"], { config: "string" })).toThrow(
    "Unknown option '-confg'; did you mean \"-config\"? accepted: -config, -help.",
  );
});

describe("a listing", () => {
  const rows = [
    { clientId: "client_1", name: "Nightly\u001b[31m report", scopes: ["a", "b"] },
    { clientId: "client_2", name: "x", scopes: [] },
  ];
  const print = (flags: { readonly json?: boolean; readonly jsonl?: boolean }, columns?: number) =>
    listed({ items: rows }, rows, ["clientId", "name", "scopes"], flags, { ...io, columns });
  const object = `${JSON.stringify({ items: rows })}\n`;

  test("is one JSON object where nobody reads it, and a table on a terminal", () => {
    expect(print({})).toBe(object);
    expect(print({}, 80)).toBe(
      "CLIENT ID  NAME                 SCOPES\nclient_1   Nightly [31m report  a b\nclient_2   x\n",
    );
    expect(print({ json: true }, 80)).toBe(object);
    expect(listed({ items: [] }, [], ["clientId"], {}, { ...io, columns: 80 })).toBe("There are none.\n");
  });

  test("is one JSON object a line with -jsonl", () => {
    const lines = `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
    expect([print({ jsonl: true }), print({ jsonl: true }, 80)]).toEqual([lines, lines]);
  });

  test("has a heading in bold where there are styles", () => {
    const style = (_: string, format: string, text: string) => `<${format}>${text}</${format}>`;
    const text = listed({ items: rows }, rows, ["clientId"], {}, { ...io, columns: 80, style });
    expect(text).toBe("<bold>CLIENT ID</bold>\nclient_1\nclient_2\n");
  });

  test("cannot be both", async () => {
    await expect(tools(["-json", "-jsonl"], io)).rejects.toThrow("-json and -jsonl exclude each other.");
  });
});

describe("a failure", () => {
  const say = async (variables: Readonly<Record<string, string>>) => {
    const child = spawn(process.execPath, [await commandFile(), "nope"], {
      env: { PATH: process.env.PATH, ...compiledOnce(), ...variables },
    });
    const [[code], stderr] = await Promise.all([once(child, "close"), text(child.stderr)]);
    expect(code).toBe(2);
    return stderr;
  };

  test("is red on terminals alone, and nowhere with NO_COLOR", async () => {
    expect(await say({})).toMatch(/^Unknown command nope/);
    expect((await say({ FORCE_COLOR: "1" })).startsWith("\u001b[31mUnknown command nope")).toBe(true);
    expect(await say({ NO_COLOR: "1" })).toMatch(/^Unknown command nope/);
  });
});
