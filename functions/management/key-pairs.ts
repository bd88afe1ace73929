import { showApiClient } from "../../lib/api-clients/administration.ts";
import { addKeyPair as add, revokeKeyPair as revoke } from "../../lib/api-clients/key-pairs.ts";
import { readFields } from "../../lib/kernel/fields.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import type { KEY_PAIR_OPERATIONS } from "../../lib/management/operations/key-pairs.ts";
import { representKeyPair } from "../../lib/management/representations/api-clients.ts";
import type { AddedKeyPair, KeyPairList, RevokedKeyPair } from "../../lib/management/schemas/key-pairs.ts";
import { administrator } from "../middleware/caller.ts";
import { clientIdParameter, clientTarget, entityTag } from "../middleware/change-target.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { refuseUnknownQuery } from "../middleware/query.ts";

export const KEY_PAIR_ENDPOINTS: Endpoints<typeof KEY_PAIR_OPERATIONS> = {
  /** GET: every key pair the client has or had. The entity tag of each answer here is the client's: `If-Match` takes it. */
  listKeyPairs:
    (dependencies) =>
    async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      const { keyPairs, revision } = await showApiClient(dependencies, organizationId, clientIdParameter(c));
      c.header("ETag", entityTag(revision));
      return answerJson<KeyPairList>(c, { items: keyPairs.map(representKeyPair) });
    },

  /**
   * POST: without a body a generated pair, whose private key is in this answer and never again; with `{publicKey}`, PEM or
   * JWK, the registration of the caller's own.
   */
  addKeyPair: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const publicKey = readPublicKey(await readJsonBody(c));
    const { keyPair, privateKeyPem } = await add(dependencies, administrator(caller, c), clientTarget(c), publicKey);
    c.header("ETag", entityTag(keyPair.clientRevision));
    return answerJson<AddedKeyPair>(
      c,
      { ...representKeyPair(keyPair), ...(privateKeyPem !== undefined && { privateKey: privateKeyPem }) },
      201,
    );
  },

  /** POST, again and again with the same answer. */
  revokeKeyPair: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const keyPairId = c.req.param("keyPairId") ?? "";
    const { status, clientRevision } = await revoke(dependencies, administrator(caller, c), clientTarget(c), keyPairId);
    c.header("ETag", entityTag(clientRevision));
    return answerJson<RevokedKeyPair>(c, { status });
  },
};

/** `{}` asks for a generated pair as an empty body does. */
function readPublicKey(body: unknown): string | object | undefined {
  if (body === undefined) return undefined;
  const fields = readFields(body, ["publicKey"]);
  const { publicKey } = fields.object;
  const acceptable = typeof publicKey === "string" || isJsonObject(publicKey) ? publicKey : undefined;
  if ("publicKey" in fields.object && acceptable === undefined) {
    fields.refuse("/publicKey", "must be a PEM text or a JWK object");
  }
  fields.finish();
  return acceptable;
}
