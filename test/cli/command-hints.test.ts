import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run as token } from "../../infra/node/commands/token.ts";
import { run as tools } from "../../infra/node/commands/tools.ts";
import { parseFlags } from "../../infra/node/flags.ts";
import { commandHelp } from "../../infra/node/help.ts";
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
  await expect(tools([], io)).rejects.toThrow(/^No configuration: .*-config FILE.*SVC_CONFIG.*-openapi FILE\|URL\.$/);
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
