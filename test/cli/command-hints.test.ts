import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completionOf } from "../../infra/node/commands/completion.ts";
import { run as token } from "../../infra/node/commands/token.ts";
import { run as tools } from "../../infra/node/commands/tools.ts";
import { COMMANDS } from "../../infra/node/commands.ts";
import { parseFlags } from "../../infra/node/flags.ts";
import { commandHelp, USAGES } from "../../infra/node/help.ts";
import type { CommandIo } from "../../infra/node/io.ts";
import { UsageError } from "../../infra/node/usage-error.ts";

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
