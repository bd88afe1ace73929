import { createRemoteJWKSet } from "jose";
import { eventually } from "../../support/eventually.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { type ProtectedUpstream, startProtectedUpstream } from "../../support/protected-upstream.ts";
import type { RunningRegion, RuntimeUnderTest } from "../../support/runtime.ts";
import { type Owner, setUpOwner } from "../fixture.ts";
import { NOTES, requestFlowConfiguration } from "./configuration.ts";

/** Everything that takes part in a call, each a server of its own. */
export interface RequestFlow {
  readonly authProvider: RunningRegion;
  readonly gateway: RunningRegion;
  /** Of the gateway, whose audit log tells about calls. */
  readonly owner: Owner;
  /** Of the auth provider, who may take back what people allowed. */
  readonly providerOwner: Owner;
  /** Where people sign in. */
  readonly company: IdentityProvider;
  /** The API; it takes tokens of the auth provider that are for it. */
  readonly upstream: ProtectedUpstream;
  stop(): Promise<void>;
}

export async function startRequestFlow(
  runtime: RuntimeUnderTest,
  configuration: string = requestFlowConfiguration,
): Promise<RequestFlow> {
  const company = await startIdentityProvider();
  const upstream = await startProtectedUpstream();
  const { us, uk, stop } = await runtime.start({
    configuration,
    variables: {
      UPSTREAM_URL: upstream.url,
      COMPANY_WELL_KNOWN: company.wellKnown,
      COMPANY_CLIENT: company.client.id,
      COMPANY_SECRET: company.client.secret,
    },
  });
  await company.register([`${us.url}/oauth2/callback`]);
  // Each looks for the other at its start; whichever was first found nobody, and looks again a little later.
  for (const { url } of [us, uk])
    await eventually(
      () => statusOf(url),
      (status) => status === 200,
    );
  const keys = createRemoteJWKSet(new URL(`${us.url}/oauth2/jwks`));
  upstream.expect({ keys, issuer: us.url, audience: NOTES });
  return {
    authProvider: us,
    gateway: uk,
    owner: await setUpOwner(uk),
    providerOwner: await setUpOwner(us),
    company,
    upstream,
    stop: async () => {
      await stop();
      await company.stop();
      await upstream.stop();
    },
  };
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(`${url}/status`);
  await response.body?.cancel();
  return response.status;
}
