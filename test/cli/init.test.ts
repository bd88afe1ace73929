import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../infra/node/commands/init.ts";
import { loadConfiguration } from "../../infra/node/load-configuration.ts";
import { checkAhead } from "../../lib/config/resolve.ts";

const OPENAPI = join(import.meta.dirname, "../../examples/quickstart/openapi.yaml");

describe("countersign init", () => {
  let folder: string;
  let file: string;
  let said: string;
  const init = (out: string) =>
    run(["-out", out], {
      stdout: (text) => {
        said += text;
      },
      stderr: () => undefined,
      environment: {},
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "countersign-init-"));
    file = join(folder, "first.yaml");
    said = "";
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("writes a configuration that is valid without a warning, and says which command comes next", async () => {
    expect(await init(file)).toBe(0);
    expect(said).toContain(`countersign -config ${file}\n`);
    expect(await checkAhead(await loadConfiguration(file), "node")).toEqual([]);
  });

  test("the apps in its comments are valid as they stand", async () => {
    await init(file);
    copyFileSync(OPENAPI, join(folder, "openapi.yaml"));
    const uncommented = readFileSync(file, "utf8").replace("apps: []", "").replace("# apps:", "apps:");
    writeFileSync(file, uncommented.replaceAll(/^# {3}/gm, "  "));
    const artifact = await loadConfiguration(file);
    expect(await checkAhead(artifact, "node")).toEqual([]);
    expect(JSON.stringify(artifact)).toContain("https://notes.example.com/mcp");
  });

  test("never writes over a file", async () => {
    writeFileSync(file, "mine");
    await expect(init(file)).rejects.toThrow(`${file} exists already: name another file with -out FILE.`);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("says why a file cannot be written", async () => {
    const nowhere = join(folder, "nowhere/first.yaml");
    await expect(init(nowhere)).rejects.toThrow(`${nowhere} cannot be written: no such file or folder.`);
  });
});
