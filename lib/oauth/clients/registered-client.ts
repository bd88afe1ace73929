import type { Configuration } from "../../config/configuration.ts";
import type { RegisteredClientRecord } from "../../stores/registered-clients.ts";
import type { ClientAuthenticationMaterial, OAuthClient } from "./client.ts";
import { type ClientMetadata, keysOf } from "./client-metadata.ts";
import { strangerClient } from "./stranger.ts";

/** Whether an id is one that registration gives out: nothing is read for any other. */
export function isRegisteredClientId(clientId: string): boolean {
  return /^agent_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(clientId);
}

/** A client as it registered itself (RFC 7591), with what such clients may have by the configuration of now. */
export function registeredClient(record: RegisteredClientRecord, configuration: Configuration): OAuthClient {
  const { clientId } = record;
  // Written by the registration endpoint, which read it with `readClientMetadata`.
  const metadata = record.metadata as unknown as ClientMetadata;
  return strangerClient(
    {
      kind: "registered",
      clientId,
      metadata,
      authentication: authenticationOf(record),
      defaultName: NAMELESS,
      origins: ownOrigins(metadata),
    },
    configuration,
  );
}

/** Anybody can name somebody else's redirect beside its own, so they show something only where all lead to one place. */
function ownOrigins({ redirect_uris }: ClientMetadata): readonly string[] {
  const origins = [...new Set(redirect_uris.map((url) => new URL(url).origin))];
  return origins.length === 1 ? origins.filter((origin) => origin.startsWith("https://")) : [];
}

/** Whoever registered to authenticate is never taken for a public client. */
function authenticationOf({ metadata, secretHash }: RegisteredClientRecord): ClientAuthenticationMaterial {
  if (metadata.token_endpoint_auth_method === "none") return { method: "none" };
  if (secretHash !== undefined) return { method: "secret", secrets: [], secretHashes: [secretHash] };
  return { method: "private_key_jwt", keys: keysOf(metadata.jwks) ?? [] };
}

const NAMELESS = "Unnamed agent";
