import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "./files.ts";

/** What `npm audit --json` prints, and the code that it ends with. */
interface Answer {
  readonly text: string;
  readonly status: number;
}

const CLEAN: Answer = { text: '{"auditReportVersion": 2, "vulnerabilities": {}}', status: 0 };
const VULNERABLE: Answer = { text: '{"auditReportVersion": 2, "vulnerabilities": {"x": {}}}', status: 1 };
const REFUSED: Answer = { text: '{\n  "message": "403 at https://mirror.example/audit"\n}', status: 1 };
const MUTE: Answer = { text: "", status: 0 };

describe("the audit step, with a package registry that the test decides about", () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const audit = ({ text, status }: Answer, required: boolean) => {
    const folder = mkdtempSync(join(tmpdir(), "countersign-audit-"));
    folders.push(folder);
    writeFileSync(join(folder, "answer"), text);
    writeFileSync(join(folder, "npm"), `#!/bin/sh\ncat "${folder}/answer"\nexit ${status}\n`);
    chmodSync(join(folder, "npm"), 0o755);
    return spawnSync("bash", [join(root, ".ci/audit")], {
      encoding: "utf8",
      env: { PATH: `${folder}${delimiter}${process.env.PATH}`, COUNTERSIGN_AUDIT: required ? "required" : "optional" },
    });
  };

  test("36. a clean report passes, one with a vulnerability fails", () => {
    for (const required of [true, false]) {
      expect(audit(CLEAN, required)).toMatchObject({ status: 0, stdout: expect.stringContaining("No known") });
      expect(audit(VULNERABLE, required)).toMatchObject({ status: 1, stdout: "" });
    }
  });

  test("36. no report is never taken for a clean one, and fails where one is required", () => {
    for (const answer of [REFUSED, MUTE]) {
      expect(audit(answer, true)).toMatchObject({ status: 1, stdout: "" });
      const { status, stdout, stderr } = audit(answer, false);
      expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
      expect(stderr).toMatch(/^NOT CHECKED/);
      expect(stderr).not.toContain("mirror.example");
    }
  });
});
