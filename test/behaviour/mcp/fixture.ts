import type { RunningRegion, RuntimeUnderTest } from "../../support/runtime.ts";
import { startUpstream, type Upstream } from "../../support/upstream.ts";
import { createSigner, issueToken, type Owner, type Signer, setUpOwner } from "../fixture.ts";
import { bearer, type Headers } from "../gateway-fixture.ts";
import { mcpConfiguration } from "./configuration.ts";

/** Both transports of MCP with sessions, before a real upstream. */
export interface McpUnderTest {
  readonly us: RunningRegion;
  readonly uk: RunningRegion;
  readonly upstream: Upstream;
  readonly owner: Owner;
  readonly agent: Agent;
  /** Another API client of the same organization. */
  readonly stranger: Agent;
  stop(): Promise<void>;
}

/** An API client with its tokens, as headers. */
export interface Agent {
  readonly signer: Signer;
  readonly stream: Headers;
  readonly legacy: Headers;
}

/** Whether a runtime can hold a stream open for whatever may happen; sessions are kept on all of them. */
export function holdsStreams({ name }: Pick<RuntimeUnderTest, "name">): boolean {
  return name !== "lambda";
}

export async function startMcp(runtime: RuntimeUnderTest): Promise<McpUnderTest> {
  const upstream = await startUpstream();
  const configuration = mcpConfiguration({ hasLegacy: holdsStreams(runtime) });
  const regions = await runtime.start({ configuration, variables: { UPSTREAM_URL: upstream.url } });
  const { us, uk } = regions;
  const owner = await setUpOwner(us);
  const [agent, stranger] = await Promise.all([startAgent(owner), startAgent(owner)]);
  const stop = async () => {
    upstream.release();
    await regions.stop();
    await upstream.stop();
  };
  return { us, uk, upstream, owner, agent, stranger, stop };
}

export function streamURL({ url }: Pick<RunningRegion, "url">): string {
  return `${url}/mcp`;
}

export function legacyURL({ url }: Pick<RunningRegion, "url">): string {
  return `${url}/legacy/sse`;
}

/** A new API client of the owner's organization. */
export async function startAgent(owner: Owner): Promise<Agent> {
  const { region } = owner;
  const [stream, legacy] = [streamURL(region), legacyURL(region)];
  const signer = await createSigner(owner, { resources: [stream, legacy] });
  const token = async (resource: string) => bearer(await issueToken(region, signer, { resource }));
  return { signer, stream: await token(stream), legacy: await token(legacy) };
}
