import { readdirSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledWorker } from "../../infra-cloudflare/support/bundle.ts";
import { compiledConfiguration } from "../../infra-cloudflare/support/configuration.ts";
import { workerVariables } from "../../runtimes/workerd.ts";
import { freePorts } from "../../support/free-port.ts";
import { workerdBinary } from "../../support/workerd-binary.ts";
import { chaosConfiguration } from "../configuration.ts";
import { seededChoices } from "../random.ts";
import { startProcess } from "../server-process.ts";
import { storedTokens } from "../stored.ts";
import type { Target, Trouble } from "../target.ts";
import { mortalWorker } from "./configuration.ts";
import { unreliableKv } from "./unreliable-kv.ts";

/** Longer than workerd keeps an object that nobody asks anything, milliseconds. */
const IDLE_TIME = 13_000;

/** The built Worker on bare workerd, with its objects on disk and an unreliable KV. */
export async function workerdServer(seed: number): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-chaos-workerd-"));
  const objects = join(folder, "objects");
  await mkdir(objects);
  const text = chaosConfiguration("edge");
  const configuration = await compiledConfiguration(text);
  const bundle = await bundledWorker(configuration.path);
  await copyFile(bundle.path, join(folder, "worker.js"));
  await copyFile(join(import.meta.dirname, "objects.js"), join(folder, "objects.js"));
  await Promise.all([configuration.remove(), bundle.remove()]);

  const kv = await unreliableKv(seededChoices(seed));
  const [port = 0, controlPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const variables = workerVariables("us", url, { configuration: text });
  const file = join(folder, "config.capnp");
  await writeFile(file, mortalWorker({ port, controlPort, kvPort: kv.port, objects, variables }));

  const lines: string[] = [];
  const { ask, objectsStarted, forget } = control(controlPort);
  return {
    name: "workerd",
    url,
    folder,
    seesChangesAtOnce: false,
    lifetime: { least: 3_000, most: 12_000 },
    troubles: troubles(ask),
    objectsStarted,
    idleTime: IDLE_TIME,
    launch: () => {
      forget();
      return startProcess({
        command: workerdBinary(),
        parameters: ["serve", "--experimental", file],
        healthURL: `${url}/status`,
        write: (line) => lines.push(line),
      });
    },
    undelivered: async () => Number(await ask("/undelivered", 0)),
    logs: () => lines,
    stored: async () => storedTokens(databases(objects)),
    close: () => kv.close(),
  };
}

type Ask = (path: string, pick: number) => Promise<unknown>;

interface Control {
  readonly ask: Ask;
  /** Over all lives of the process. */
  objectsStarted(): number;
  /** The next process counts from zero. */
  forget(): void;
}

function control(port: number): Control {
  let earlier = 0;
  let current = 0;
  return {
    ask: async (path, pick) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}?pick=${pick}`);
      if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
      const { value, started } = (await response.json()) as { readonly value?: unknown; readonly started: number };
      current = started;
      return value;
    },
    objectsStarted: () => earlier + current,
    forget: () => {
      earlier += current;
      current = 0;
    },
  };
}

/** An object ends at once, or after what it is doing. The likelier ones stand here more than once. */
function troubles(ask: Ask): readonly Trouble[] {
  const trouble = (kind: string, cutsOff: boolean, path: string): Trouble => ({
    kind,
    cutsOff,
    cause: async (random) => {
      await ask(path, random.next());
    },
  });
  const abort = trouble("object aborted", true, "/abort");
  const evict = trouble("object evicted", false, "/evict");
  return [
    ...[abort, abort, abort, abort, evict, evict, evict],
    trouble("all objects aborted", true, "/abort-all"),
    trouble("all objects evicted", false, "/evict-all"),
  ];
}

function databases(objects: string): readonly string[] {
  return readdirSync(objects, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite") && !name.endsWith("metadata.sqlite"))
    .map((name) => join(objects, name));
}
