import { appendFileSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { type ProcessLife, startProcess } from "../server-process.ts";
import { proxyChaosConfiguration } from "./configuration.ts";

const CLI = join(import.meta.dirname, "../../../infra/node/cli.ts");

/** The gateway, as one process after the other on one store. */
export interface GatewayProcess {
  readonly url: string;
  /** Its SQLite file. */
  readonly database: string;
  /** Every line that it wrote. */
  readonly lines: readonly string[];
  start(): Promise<void>;
  /** SIGKILL. Resolves to whether it ran until now. */
  kill(): Promise<boolean>;
  /** Resident memory, MiB; undefined while there is no process. */
  memory(): number | undefined;
}

export interface GatewaySettings {
  readonly folder: string;
  /** Of upstreams and the issuer. */
  readonly variables: Readonly<Record<string, string>>;
}

export async function gatewayProcess({ folder, variables }: GatewaySettings): Promise<GatewayProcess> {
  const file = join(folder, "countersign.yaml");
  const store = join(folder, "store");
  const log = join(folder, "gateway.log");
  await writeFile(file, proxyChaosConfiguration);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const lines: string[] = [];
  const environment = {
    PUBLIC_URL: url,
    STORE_PATH: store,
    LISTEN_ADDRESS: `127.0.0.1:${port}`,
    SVC_SECRET_PROVIDER: "env://TEST_",
    // Starts after the first take less time.
    NODE_COMPILE_CACHE: join(folder, "compiled"),
    ...variables,
  };
  let life: ProcessLife | undefined;
  return {
    url,
    database: join(store, "countersign.db"),
    lines,
    start: async () => {
      const { length } = lines;
      const parameters = [CLI, "-config", file];
      const write = (line: string): void => {
        lines.push(line);
        appendFileSync(log, `${line}\n`);
      };
      life = startProcess({ command: process.execPath, parameters, environment, healthURL: `${url}/status`, write });
      if (!(await life.ready)) throw new Error(`The gateway did not start:\n${lines.slice(length).join("\n")}`);
    },
    kill: async () => {
      const ran = life?.ended() === false;
      await life?.kill();
      return ran;
    },
    memory: () => (life === undefined || life.ended() ? undefined : residentMemory(life.pid)),
  };
}

function residentMemory(pid: number | undefined): number | undefined {
  try {
    const [, kibi] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kibi === undefined ? undefined : Math.round(Number(kibi) / 1024);
  } catch {
    // It ended meanwhile, or this is no Linux.
    return undefined;
  }
}
