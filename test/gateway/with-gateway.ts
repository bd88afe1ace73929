import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { startAuthorizationServer, type TestAuthorizationServer } from "./authorization-server.ts";
import { type GatewayOptions, type StartedGateway, startedGateway, trusted } from "./started.ts";

/** The parts of a gateway test; those of a test are there from its beginning to its end. */
export interface WithGateway {
  readonly server: TestAuthorizationServer;
  readonly upstream: Upstream;
  readonly gateway: StartedGateway;
  /** Replaces the gateway of this test by one with these options. */
  restart(options: Partial<GatewayOptions>): Promise<void>;
  /** The status of a call of `getNote` with this token. */
  statusOf(token: string): Promise<number>;
}

/**
 * A real authorization server and an upstream for the file, and for each test a gateway between them that trusts the
 * server.
 */
export function withGateway(options: Partial<GatewayOptions> = {}): WithGateway {
  let server: TestAuthorizationServer;
  let upstream: Upstream;
  let gateway: StartedGateway;

  const start = async (more: Partial<GatewayOptions> = {}) => {
    const defaults = { servers: [trusted(server.wellKnown)], upstreamURL: upstream.url };
    gateway = await startedGateway({ ...defaults, ...options, ...more });
  };
  beforeAll(async () => {
    server = await startAuthorizationServer();
    upstream = await startUpstream();
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });
  beforeEach(() => start());
  afterEach(async () => {
    server.failWith(undefined);
    await gateway.close();
  });

  return {
    get server() {
      return server;
    },
    get upstream() {
      return upstream;
    },
    get gateway() {
      return gateway;
    },
    async restart(more) {
      await gateway.close();
      await start(more);
    },
    statusOf: async (token) => (await gateway.call("getNote", { noteId: "1" }, token)).status,
  };
}
