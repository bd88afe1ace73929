import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changedSource, recordSources } from "../../infra/node/bundle-sources.ts";

describe("a bundle and its sources", () => {
  let root: string;
  let bundle: string;
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "bundle-"));
    bundle = join(root, "dist");
    mkdirSync(bundle);
    for (const path of ["package-lock.json", "a.ts", "b.ts"]) write(path, path);
    recordSources(root, bundle, ["a.ts", "b.ts", "package-lock.json"]);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const changes: Readonly<Record<string, readonly [change: () => void, found: string | undefined]>> = {
    "nothing changed": [() => undefined, undefined],
    "a file says something else": [() => write("b.ts", "other"), "b.ts"],
    "a file says something else, and is older": [
      () => {
        write("b.ts", "b.js");
        utimesSync(join(root, "b.ts"), 1_000, 1_000);
      },
      "b.ts",
    ],
    "a file was written again as it was": [() => utimesSync(join(root, "a.ts"), 2_000, 2_000), undefined],
    "a file is gone": [() => rmSync(join(root, "a.ts")), "a.ts"],
    "packages have other versions": [() => write("package-lock.json", "{}"), "package-lock.json"],
    "the bundle was taken away from its sources": [
      () => {
        for (const path of ["package-lock.json", "a.ts", "b.ts"]) rmSync(join(root, path));
      },
      undefined,
    ],
    "the bundle says nothing about its sources": [() => rmSync(join(bundle, "sources.json")), undefined],
  };
  it.for(Object.entries(changes))("%s", ([, [change, found]]) => {
    change();
    expect(changedSource(root, bundle)).toBe(found);
  });
});
