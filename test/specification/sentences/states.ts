import { HEADING, LEFT_OPEN, needsNone, type Sentence, shown } from "./sentence.ts";

/** States and transitions, in the order of the specification. */
export const statesSentences: readonly Sentence[] = [
  needsNone("aab542d932", "states", HEADING),
  needsNone("2aa2cba2ec", "columns of all states", HEADING),
  shown("91d5c33123", "adding a key pair", "api-client.owner", "key-pair.add", "key-pair.download"),
  shown("1f6442b36a", "revoking one", "api-client.owner", "key-pair.revoke"),
  shown("24a9a61ac7", "issued tokens live on", "key-pair.revoke"),
  shown("d8982f070c", "assertions no longer verify", "key-pair.revoke", "error.signature"),
  shown("1c93892808", "creating a client", "api-client.create", "api-client.owner"),
  shown("6008d26b1d", "deleting one", "api-client.delete", "api-client.owner"),
  shown("172fbfd1ee", "it gets no token", "api-client.delete"),
  shown("ed0f50f6c1", "owners edit", "api-client.owner"),
  shown("77c95deca1", "what is edited", "api-client.edit"),
  needsNone("afbb3712eb", "MCP session", HEADING),
  shown("1d57c98da0", "idle", "mcp.session.expired"),
  shown("7c77851fc2", "terminated", "mcp.session.terminated"),
  needsNone("2e509b5949", "its beginning", LEFT_OPEN),
  needsNone("14b9633442", "health", HEADING),
  shown("783a73dfc9", "up", "health.up"),
  needsNone("976c17d4b9", "other values", LEFT_OPEN),
  shown("db1979b708", "unhealthy connectors", "health.connectors"),
];
