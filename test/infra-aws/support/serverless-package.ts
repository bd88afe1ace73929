import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CONSOLE_BUILD_VARIABLE } from "../../../infra/node/console/folder.ts";
import { tinyConsole } from "../../support/console-build.ts";
import { compiledOnce } from "../../support/shared-run/variables.ts";

/** A resource of a CloudFormation template. */
export interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

/** What `serverless package` made of a stage. */
export interface PackagedStage {
  readonly resources: Readonly<Record<string, Resource>>;
  /** AWS region it deploys to. */
  readonly region: string;
  /** Paths in the function's archive. */
  readonly files: readonly string[];
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const QUIET = { SLS_TELEMETRY_DISABLED: "1", SLS_NOTIFICATIONS_MODE: "off" };
const run = promisify(execFile);

/** Bundles the function of both stages, as `npm run build` does, with a tiny Console. */
export async function buildFunctions(): Promise<void> {
  const build = await tinyConsole();
  const env = { ...process.env, [CONSOLE_BUILD_VARIABLE]: build.folder };
  for (const script of ["infra/build/configuration.ts", "infra/build/lambda.ts"]) {
    await run(process.execPath, [script], { cwd: ROOT, env });
  }
  await build.remove();
}

/** `serverless package --stage <stage>`, without a network and without anybody's AWS account. */
export async function packageStage(stage: "us" | "uk"): Promise<PackagedStage> {
  const folder = await mkdtemp(join(tmpdir(), `countersign-${stage}-`));
  try {
    await run(
      process.execPath,
      [join(ROOT, "node_modules/osls/bin/serverless.js"), "package", "--stage", stage, "--package", folder],
      {
        cwd: ROOT,
        env: { PATH: process.env.PATH ?? "", HOME: folder, ...compiledOnce(), ...QUIET },
      },
    );
    const template = await readJson<{ Resources: PackagedStage["resources"] }>(
      join(folder, "cloudformation-template-update-stack.json"),
    );
    const state = await readJson<{ service: { provider: { region: string } } }>(join(folder, "serverless-state.json"));
    const files = namesInArchive(await readFile(join(folder, "countersign.zip")));
    return { resources: template.Resources, region: state.service.provider.region, files };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, "utf8")) as T;
}

/** The file names in a ZIP archive's local headers that its central directory repeats. */
function namesInArchive(archive: Buffer): readonly string[] {
  const names: string[] = [];
  const signature = Buffer.from("PK\x01\x02", "latin1");
  for (let at = archive.indexOf(signature); at >= 0; at = archive.indexOf(signature, at + 46)) {
    const length = archive.readUInt16LE(at + 28);
    names.push(archive.toString("utf8", at + 46, at + 46 + length));
  }
  return names;
}
