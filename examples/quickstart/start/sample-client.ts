import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { importPKCS8 } from "jose";
import { operatorId } from "../../../infra/node/commands/operator.ts";
import { openNodeDependencies } from "../../../infra/node/dependencies.ts";
import { createApiClient, updateApiClient } from "../../../lib/api-clients/administration.ts";
import type { Administrator } from "../../../lib/api-clients/client-event.ts";
import { addKeyPair } from "../../../lib/api-clients/key-pairs.ts";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { ensureOrganization } from "../../../lib/directory/organizations.ts";
import type { AgentCredentials } from "../agent.ts";

/** What the quickstart keeps of its agent beside the store, readable by this user only. */
interface KeptAgent {
  readonly clientId: string;
  readonly privateKeyPem: string;
}

const SCOPES = ["library:read", "library:write", "board:read", "board:write", "audit:read"];

/**
 * The API client that the sample agent uses, made once for the store: with an ES256 key pair of its own, and permission
 * for the given MCP URL and for the audit log. A later start finds it again, on another port too.
 */
export async function sampleClient(configuration: Configuration, mcpURL: string): Promise<AgentCredentials> {
  const { dependencies, close } = openNodeDependencies(configuration, { write: (line) => console.error(line) });
  try {
    const organization = await ensureOrganization(dependencies, operatorId());
    const actor = { id: operatorId(), organizationId: organization.organizationId };
    const file = join(configuration.store.path, "sample-agent.json");
    const agent =
      (await findAgent(dependencies, actor, file, mcpURL)) ?? (await makeAgent(dependencies, actor, mcpURL));
    await writeFile(file, JSON.stringify(agent), { mode: 0o600 });
    return { clientId: agent.clientId, privateKey: await importPKCS8(agent.privateKeyPem, "ES256") };
  } finally {
    close();
  }
}

/** The agent of an earlier start, unless its client was deleted meanwhile. What it lacks for this one it is granted. */
async function findAgent(
  dependencies: Dependencies,
  actor: Administrator,
  file: string,
  mcpURL: string,
): Promise<KeptAgent | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const agent = JSON.parse(text) as KeptAgent;
  const client = await dependencies.stores.apiClients.get(actor.organizationId, agent.clientId);
  if (client === undefined) return undefined;
  const resources = new Set([...client.resources, mcpURL]);
  const scopes = new Set([...client.scopes, ...SCOPES]);
  if (resources.size > client.resources.length || scopes.size > client.scopes.length) {
    const granted = { resources: [...resources], scopes: [...scopes] };
    await updateApiClient(dependencies, actor, { clientId: agent.clientId }, granted);
  }
  return agent;
}

async function makeAgent(dependencies: Dependencies, actor: Administrator, mcpURL: string): Promise<KeptAgent> {
  const { clientId } = await createApiClient(dependencies, actor, {
    name: "Sample agent",
    description: "Made by the quickstart.",
    scopes: SCOPES,
    resources: [mcpURL],
  });
  const { privateKeyPem } = await addKeyPair(dependencies, actor, { clientId });
  if (privateKeyPem === undefined) throw new Error("A generated key pair came without its private key.");
  return { clientId, privateKeyPem };
}
