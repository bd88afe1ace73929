import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandFile } from "../support/shared-run/command.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";

const program = await commandFile();
const folder = mkdtempSync(join(tmpdir(), "countersign-cli-"));
const config = join(folder, "countersign.yaml");
writeFileSync(config, 'version: "1"\n');
afterAll(() => rmSync(folder, { recursive: true }));

const validate = (environment: Readonly<Record<string, string>>) =>
  spawnSync(process.execPath, [program, "validate"], {
    env: { PATH: process.env.PATH, ...compiledOnce(), ...environment },
    encoding: "utf8",
  });

test("variables of a comparable product are read with one warning each, and never shown", () => {
  const run = validate({
    ...{ MAVERICS_CONFIG: config, MAVERICS_HTTP_ADDRESS: ":9443", MAVERICS_GITHUB_CONFIG: '{"token":"hunter2"}' },
    MAVERICS_SECRET_PROVIDER: "hashivault://vault.example/secret?token=hunter2",
  });
  expect(run).toMatchObject({ status: 0, stdout: "" });
  expect(run.stderr.split("\n").slice(0, 4)).toEqual([
    "MAVERICS_CONFIG is read as SVC_CONFIG (warning)",
    "MAVERICS_SECRET_PROVIDER is read as SVC_SECRET_PROVIDER (warning)",
    "MAVERICS_HTTP_ADDRESS is not read: write http.address (warning)",
    "MAVERICS_GITHUB_CONFIG is not read: write SVC_CONFIG_SOURCE, such as github://OWNER/REPOSITORY/PATH (warning)",
  ]);
  expect(run.stderr).toContain(`${config}: valid`);
  expect(run.stderr).not.toContain("hunter2");
});

test("the names of this product have precedence", () => {
  const run = validate({ MAVERICS_CONFIG: "/nowhere", SVC_CONFIG: config });
  expect(run).toMatchObject({ status: 0 });
  expect(run.stderr).toContain("MAVERICS_CONFIG is ignored beside SVC_CONFIG (warning)\n");
});

test("no file is the default", () => {
  expect(validate({})).toMatchObject({ status: 2, stderr: expect.stringMatching(/^No configuration: name a YAML/) });
});
