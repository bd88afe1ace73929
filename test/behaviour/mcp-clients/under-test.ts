import type { RunningRegion, RuntimeUnderTest } from "../../support/runtime.ts";
import type { SignInServer } from "../../support/sign-in-server.ts";
import { startSignInServer } from "../../support/sign-in-server.ts";
import { startUpstream, type Upstream } from "../../support/upstream.ts";
import { createSigner, issueToken, type Owner, setUpOwner } from "../fixture.ts";
import { mcpClientsConfiguration, SCOPES } from "./configuration.ts";

/** A gateway with sessions, what it calls, and who it trusts. */
export interface McpClientsUnderTest {
  readonly us: RunningRegion;
  readonly upstream: Upstream;
  readonly signIn: SignInServer;
  readonly owner: Owner;
  /** Tokens of an API client that may call every tool, by the path that they are for. */
  readonly token: Readonly<Record<"/mcp" | "/sse", string>>;
  stop(): Promise<void>;
}

/** Lambda can hold no stream open that it does not end itself: no legacy transport, no GET stream, no departure noticed. */
export function holdsStreams({ name }: RuntimeUnderTest): boolean {
  return name !== "lambda";
}

export async function startMcpClients(runtime: RuntimeUnderTest): Promise<McpClientsUnderTest> {
  const upstream = await startUpstream();
  const signIn = await startSignInServer(SCOPES);
  const regions = await runtime.start({
    configuration: mcpClientsConfiguration({ legacy: holdsStreams(runtime) }),
    variables: { UPSTREAM_URL: upstream.url, SIGN_IN_WELL_KNOWN: signIn.wellKnown },
    alone: true,
  });
  const { us } = regions;
  const owner = await setUpOwner(us);
  const [mcp, sse] = [`${us.url}/mcp`, `${us.url}/sse`];
  const signer = await createSigner(owner, { scopes: SCOPES, resources: [mcp, sse] });
  const token = {
    "/mcp": await issueToken(us, signer, { resource: mcp }),
    "/sse": await issueToken(us, signer, { resource: sse }),
  };
  const stop = async () => {
    upstream.release();
    await regions.stop();
    await signIn.stop();
    await upstream.stop();
  };
  return { us, upstream, signIn, owner, token, stop };
}
