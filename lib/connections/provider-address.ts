import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import { publicUrlFault } from "../net/agent-supplied.ts";
import { isLoopbackRedirect } from "../protocol/oauth/redirect-url.ts";

/** How providers are reached. */
export interface ProviderFetchPorts {
  /** To addresses of the configuration; `tls` names an entry of its `tls`. */
  readonly outbound: (tls?: string) => typeof globalThis.fetch;
  /** To addresses that documents of others name: HTTPS to public addresses, whatever a name resolves to. */
  readonly publicFetch: typeof globalThis.fetch;
}

/** What says where a provider is. */
export type LocatedConnector = Pick<OAuthConnectorConfiguration, "endpoints" | "account" | "tls">;

/**
 * The `fetch` for requests to a provider. Of a discovered one somebody else wrote the addresses: they must not make us call what
 * only we can reach (checklist 70). Redirects are not followed, as they would lead to whatever address.
 *
 * @returns rejects with `OutboundError` for an address that is refused
 */
export function providerFetch(connector: LocatedConnector, ports: ProviderFetchPorts): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const send = isOfOperator(new URL(url), connector) ? ports.outbound(connector.tls) : ports.publicFetch;
    return send(url, { ...init, redirect: "manual" });
  };
}

/** Why an address that a document names is not called, to follow its name in a sentence. Undefined: it may be. */
export function addressFault(written: string, connector: LocatedConnector): string | undefined {
  if (!URL.canParse(written)) return "is no URL";
  const url = new URL(written);
  if (url.hash !== "") return "has a fragment";
  return isOfOperator(url, connector) ? undefined : publicUrlFault(url);
}

/**
 * Whether the operator named the host: all of a provider that is written down, and the MCP server and issuer of one that is
 * discovered. An MCP server on loopback is for trying things out, and its authorization server may be there, too.
 */
function isOfOperator(url: URL, { endpoints, account }: LocatedConnector): boolean {
  if (endpoints.kind === "static") return true;
  const named = [endpoints.resource, endpoints.issuer].filter((one) => one !== undefined);
  if (named.some((one) => new URL(one).origin === url.origin)) return true;
  // That address alone: a document must not send tokens to others of its host.
  if (account !== undefined && new URL(account.url).href === url.href) return true;
  return isLoopbackRedirect(endpoints.resource) && isLoopbackRedirect(url.href);
}
