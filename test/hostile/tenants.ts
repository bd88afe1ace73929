import { importPKCS8 } from "jose";
import { RESOURCE_SERVER } from "../behaviour/configuration.ts";
import { basic, type ClientFields, expectJson, type Owner, postForm, setUpOwner } from "../behaviour/fixture.ts";
import type { RunningRegion } from "../support/runtime.ts";
import type { Tenant, TenantClient } from "./attack.ts";

/** Two organizations. The apps belong to the first one, so it alone reaches their tools (D32). */
export async function tenants(region: RunningRegion): Promise<{ readonly first: Tenant; readonly second: Tenant }> {
  const owner = await setUpOwner(region);
  const own = await expectJson<{ organizationId: string }>(await asTenant(owner, "GET", "/me"), 200);
  const founded = await expectJson<{ organizationId: string }>(
    await asTenant(owner, "POST", "/organizations", { name: "Second" }),
    201,
  );
  return {
    first: { ...owner, organizationId: own.organizationId },
    second: { ...owner, organizationId: founded.organizationId },
  };
}

/** A call of the management API for an organization. */
export function asTenant(
  { region, cookie, organizationId }: Owner & { readonly organizationId?: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  return fetch(`${region.url}/api/v1${path}`, {
    method,
    headers: {
      Cookie: cookie,
      ...(organizationId !== undefined && { "Countersign-Organization": organizationId }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** A new API client of an organization, with one key. */
export async function clientOf(tenant: Tenant, fields: ClientFields = {}): Promise<TenantClient> {
  const created = await asTenant(tenant, "POST", "/api-clients", { name: "a client", ...fields });
  const { clientId } = await expectJson<{ clientId: string }>(created, 201);
  const added = await asTenant(tenant, "POST", `/api-clients/${clientId}/key-pairs`);
  const pair = await expectJson<{ keyPairId: string; fingerprint: string; privateKey: string }>(added, 201);
  const { keyPairId, fingerprint, privateKey: pem } = pair;
  const privateKey = await importPKCS8(pem, "ES256", { extractable: true });
  return { clientId, key: { keyPairId, fingerprint, pem, privateKey }, tenant };
}

/** Whether a token is good, as the resource server of the behaviour suites is told. */
export async function isActive(region: RunningRegion, token: string): Promise<boolean> {
  const answer = await postForm(`${region.url}/oauth2/introspect`, { token }, basic(RESOURCE_SERVER));
  return (await expectJson<{ active: boolean }>(answer, 200)).active;
}
