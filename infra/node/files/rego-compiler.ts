import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import type { RegoBundle, RegoCompiler } from "../../../lib/config/policy-plans.ts";
import { isJsonObject, type JsonObject } from "../../../lib/kernel/json.ts";
import { fileErrorReason } from "./file-error.ts";

/** Milliseconds that a compilation may take. */
const TIMEOUT = 30_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** Characters of what the command says about a module. */
const MOST_WORDS = 2_000;

/**
 * Compiles Rego by OPA's own command, which `SVC_OPA` names or the PATH has, and reads what it compiled before. Relative paths
 * start in `folder`.
 */
export function regoCompiler(folder: string, environment: NodeJS.ProcessEnv): RegoCompiler {
  const command = environment.SVC_OPA || "opa";
  const file = async (path: string, entrypoint: string) => {
    const source = resolve(folder, withoutScheme(path));
    await readBounded(source);
    return build(command, source, entrypoint);
  };
  return {
    file,
    module: async (text, entrypoint) => {
      const scratch = await mkdtemp(join(tmpdir(), "countersign-rego-"));
      try {
        const source = join(scratch, "policy.rego");
        await writeFile(source, text);
        return await build(command, source, entrypoint);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
    },
    bundle: async (path) => bundleOf(await readBounded(resolve(folder, withoutScheme(path)))),
    data: async (path) => {
      return object(json((await readBounded(resolve(folder, withoutScheme(path)))).toString("utf8"), path), path);
    },
  };
}

function withoutScheme(path: string): string {
  return path.startsWith("file://") ? path.slice("file://".length) : path;
}

async function build(command: string, source: string, entrypoint: string): Promise<RegoBundle> {
  const scratch = await mkdtemp(join(tmpdir(), "countersign-plan-"));
  try {
    const bundle = join(scratch, "bundle.tar.gz");
    await run(command, ["build", "--target", "plan", "--entrypoint", entrypoint, "--output", bundle, source], source);
    return bundleOf(await readBounded(bundle));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** @param source its path is left out of what the command says: the message stands at the policy's own place */
async function run(command: string, args: readonly string[], source: string): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT });
  let said = "";
  // It tells mistakes of modules on stdout, and of its flags on stderr.
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (text: string) => {
      if (said.length < MOST_WORDS) said += text;
    });
  }
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    if (code === 0) return;
    if (signal !== null) throw new Error(`${command} did not compile the policy within ${TIMEOUT / 1_000} s`);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw new Error(missing(command), { cause });
    throw cause;
  }
  const words = said.replaceAll(source, "line").replace(/\s+/g, " ").trim().slice(0, MOST_WORDS);
  throw new Error(`Rego that opa build refuses: ${words}`);
}

function missing(command: string): string {
  return (
    `needs OPA's command to compile Rego, and ${JSON.stringify(command)} was not found; install opa, set SVC_OPA to its path, ` +
    "or write plan: with what `opa build --target plan --entrypoint orchestrator/result policy.rego` wrote elsewhere"
  );
}

async function readBounded(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
    return await readFile(path);
  } catch (error) {
    throw new Error(`cannot be read: ${fileErrorReason(error)} (${path})`, { cause: error });
  }
}

/** The plan, the data and the modules of a bundle, or a plan that stands alone as JSON. */
function bundleOf(bytes: Buffer): RegoBundle {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isCompressed) return { plan: json(bytes.toString("utf8"), "the plan"), data: {}, modules: [] };
  const files = filesOf(unpacked(bytes));
  const plan = files.get("plan.json");
  if (plan === undefined) {
    throw new Error("the bundle has no plan.json; accepted: one that `opa build --target plan` wrote");
  }
  const modules = [...files].filter(([name]) => name.endsWith(".rego")).map(([, text]) => text);
  return {
    plan: json(plan, "plan.json"),
    data: object(json(files.get("data.json") ?? "{}", "data.json"), "data.json"),
    modules,
  };
}

function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw new Error(`the bundle is no gzip file, or larger than ${MAX_BYTES} bytes unpacked`, { cause });
  }
}

const BLOCK = 512;

/** The regular files of a tar archive (POSIX ustar), by name without a leading slash. */
function filesOf(archive: Buffer): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const field = (header: Buffer, from: number, to: number) => header.toString("utf8", from, to).replace(/\0.*$/s, "");
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    const name = field(header, 0, 100);
    if (name === "") break;
    const size = Number.parseInt(field(header, 124, 136).trim(), 8);
    if (!(size >= 0)) throw new Error("the bundle is a broken archive; compile it again");
    const kind = field(header, 156, 157);
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    if (kind === "" || kind === "0") files.set(name.replace(/^(\.?\/)+/, ""), content.toString("utf8"));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function object(value: unknown, what: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new Error(`${what} is no JSON object; accepted: one whose members are the documents below data`);
}

function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Error(`${what} is no JSON: ${(cause as Error).message}`, { cause });
  }
}
