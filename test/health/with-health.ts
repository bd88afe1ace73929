import { afterEach } from "vitest";
import type { ConnectorConfiguration } from "../../lib/config/configuration.ts";
import { type InProcess, type InProcessOptions, startInProcess } from "../support/in-process.ts";

/** What `GET /status` answers. */
export interface HealthAnswer {
  readonly status: number;
  readonly body: unknown;
}

export const UP: HealthAnswer = { status: 200, body: { status: "up" } };

/** The answer when these components are not up. */
export function down(...names: readonly string[]): HealthAnswer {
  return { status: 503, body: { status: "down", components: names.map((name) => ({ name, status: "down" })) } };
}

export function connectorTo(wellKnownURL: string, more: Partial<ConnectorConfiguration> = {}): ConnectorConfiguration {
  return {
    name: "corp",
    type: "oidc",
    wellKnownURL,
    clientID: "countersign",
    scopes: ["openid"],
    disablePKCE: false,
    offlineAccess: false,
    clientAuthentication: "client_secret_basic",
    ...more,
  };
}

export interface WithHealth {
  readonly product: InProcess;
  health(): Promise<HealthAnswer>;
  /** Moves the clock forward. */
  pass(milliseconds: number): void;
  /** Entries of the log with this message. */
  entries(message: string): readonly Readonly<Record<string, unknown>>[];
}

/** Starts the product in this process; it ends with the test. */
export async function startWithHealth(options: InProcessOptions = {}): Promise<WithHealth> {
  const product = await startInProcess(options);
  running.push(product);
  return {
    product,
    async health() {
      const response = await product.send("/status");
      return { status: response.status, body: await response.json() };
    },
    pass: (milliseconds) => product.clock.set(product.clock.now() + milliseconds),
    entries: (message) => product.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message),
  };
}

const running: InProcess[] = [];
afterEach(async () => {
  for (const product of running.splice(0)) await product.close();
});
