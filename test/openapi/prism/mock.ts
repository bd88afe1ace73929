import { createRequire } from "node:module";
import type { JsonObject } from "../../../lib/kernel/json.ts";

/** The parts of Prism that its command line is made of. */
interface Prism {
  readonly getHttpOperationsFromSpec: (document: object) => Promise<readonly unknown[]>;
  readonly createServer: (operations: readonly unknown[], options: object) => PrismServer;
  readonly createLogger: (name: string, options: object) => unknown;
  readonly right: (value: unknown) => unknown;
}

interface PrismServer {
  readonly listen: (port: number, host: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** A mock of one API on loopback. */
export interface Mock {
  readonly baseURL: string;
  readonly close: () => Promise<void>;
}

const require = createRequire(new URL("package.json", import.meta.url));

/** Whether the packages of this folder are there. */
export function isInstalled(): boolean {
  try {
    return require.resolve("@stoplight/prism-cli/package.json") !== "";
  } catch {
    return false;
  }
}

/**
 * Starts Prism for a document. It judges requests as its command line does; credentials apart, which no call has. In place of an answer
 * that is made up, which takes most of its time, an accepted request gets 204.
 */
export async function startMock(document: JsonObject): Promise<Mock> {
  const prism = load();
  const operations = await prism.getHttpOperationsFromSpec(structuredClone(document));
  const mock = () => () => prism.right({ statusCode: 204, headers: {} });
  const config = {
    isProxy: false,
    validateRequest: true,
    validateResponse: false,
    checkSecurity: false,
    errors: false,
    mock: { dynamic: false },
  };
  const components = { logger: prism.createLogger("mock", { level: "silent" }), mock };
  const server = prism.createServer(operations, { cors: false, config, components });
  return { baseURL: await server.listen(0, "127.0.0.1"), close: () => server.close() };
}

/** What Prism has against a request, by its answer; undefined: it accepted it. */
export async function objectionIn(answer: Response): Promise<string | undefined> {
  const violations = answer.headers.get("sl-violations");
  if (violations?.includes('"severity":"Error"')) return violations;
  if (answer.status === 204) return undefined;
  return `${answer.status} ${await answer.text()}`;
}

function load(): Prism {
  const from = createRequire(require.resolve("@stoplight/prism-cli/package.json"));
  const { getHttpOperationsFromSpec } = from("@stoplight/prism-http") as Prism;
  const { createServer } = from("@stoplight/prism-http-server") as Prism;
  const { createLogger } = from("@stoplight/prism-core") as Prism;
  const { right } = from("fp-ts/Either") as Prism;
  return { getHttpOperationsFromSpec, createServer, createLogger, right };
}
