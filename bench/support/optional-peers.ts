import { mkdtempSync, writeFileSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { type RunningProcess, startProcess } from "./process.ts";

/** Programs that are measured where the folder `COUNTERSIGN_PEERS` has them. */
export type OptionalPeer = "agentgateway" | "hydra" | "oauth2-proxy" | "opa";

/** Where the program is. Absent, and said so once, where it is not. */
export async function optionalPeer(name: OptionalPeer): Promise<string | undefined> {
  const folder = process.env.COUNTERSIGN_PEERS;
  const file = join(folder ?? "", name);
  const isThere = folder !== undefined && (await access(file, constants.X_OK).then(...BOTH));
  if (isThere) return file;
  if (!told.has(name))
    console.log(`\n${name}: not measured; COUNTERSIGN_PEERS names no folder with a program "${name}"`);
  told.add(name);
  return undefined;
}

const BOTH = [() => true, () => false] as const;
const told = new Set<OptionalPeer>();

/** What agentgateway serves as tools: an MCP server, or a REST API with its OpenAPI document. */
export type AgentgatewayTarget =
  | { readonly mcp: { readonly host: string } }
  | { readonly openapi: { readonly host: string; readonly schema: { readonly file: string } } };

/** agentgateway with one target, whose tools keep their names; nobody is authenticated. Absent without its program. */
export async function startAgentgateway(
  parent: string,
  target: AgentgatewayTarget,
): Promise<(RunningProcess & { readonly port: number }) | undefined> {
  const program = await optionalPeer("agentgateway");
  if (program === undefined) return undefined;
  const file = join(mkdtempSync(join(parent, "agentgateway-")), "config.yaml");
  const [port, admin, stats, readiness] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const loopback = (own: number) => `127.0.0.1:${own}`;
  const backends = [{ mcp: { targets: [{ name: "upstream", ...target }] } }];
  const configuration = {
    config: { adminAddr: loopback(admin), statsAddr: loopback(stats), readinessAddr: loopback(readiness) },
    binds: [{ port, listeners: [{ routes: [{ backends }] }] }],
  };
  writeFileSync(file, JSON.stringify(configuration));
  return { port, ...(await startProcess(program, ["-f", file], `http://${loopback(readiness)}/healthz/ready`)) };
}
