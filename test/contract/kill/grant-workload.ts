import type { Stores } from "../../../lib/stores/stores.ts";
import {
  accessTokenOf,
  authorizationCode,
  consent,
  consentEvent,
  grantOn,
  interaction,
  redemptionOf,
  referenceOf,
  registeredClient,
  rotationOf,
  signingKey,
} from "../grant-records.ts";
import { auditEvent, newOrganizationId } from "../records.ts";

/** What people and agents do, each to be called again and again. Everything is of an organization of its own. */
export const signIns: readonly ((stores: Stores) => Promise<void>)[] = [
  signInThroughPages,
  useChain,
  takeConsentBack,
  exchangeAndEnd,
  registerClient,
  replaceKeys,
];

/** Two interactions: one goes a step on, the other one ends. */
async function signInThroughPages({ grants }: Stores): Promise<void> {
  const [kept, ended] = [interaction(), interaction()];
  for (const one of [kept, ended]) await grants.begin(one);
  await grants.advance({ ...kept, revision: 2, content: { step: "callback" } }, Date.now());
  await grants.finish(ended.interactionHash, 1, Date.now());
}

async function redeemed({ grants }: Stores) {
  const given = consent();
  await grants.giveConsent(given, consentEvent(given, "consent.given"));
  const grant = grantOn(given);
  const reference = referenceOf(grant);
  await grants.start(grant, authorizationCode(), reference);
  const redemption = redemptionOf(grant, reference);
  await grants.redeem(redemption);
  return { given, grant, redemption };
}

async function useChain(stores: Stores): Promise<void> {
  const { grant, redemption } = await redeemed(stores);
  await stores.grants.rotate(rotationOf(grant, redemption.refreshToken.reference));
}

async function takeConsentBack(stores: Stores): Promise<void> {
  const { given } = await redeemed(stores);
  await stores.grants.revokeConsent(given.subject, given.clientId, consentEvent(given, "consent.revoked"));
}

/** Two tokens of chains that nothing else is known of: one stays, the chain of the other one ends. */
async function exchangeAndEnd({ tokens }: Stores): Promise<void> {
  const [kept, ended] = [accessTokenOf(grantOn(consent())), accessTokenOf(grantOn(consent()))];
  for (const stored of [kept, ended]) await tokens.exchange({ ...stored, event: event("token.exchanged") });
  const { chainId, consentId } = ended.token;
  const lineage = { chainId, ...(consentId !== undefined && { consentId }) };
  await tokens.end({ what: "chain", lineage, expiresAt: ended.token.expiresAt, event: event("token.revoked") });
}

async function registerClient({ registeredClients }: Stores): Promise<void> {
  await registeredClients.create(registeredClient(), event("client.registered"));
}

async function replaceKeys({ signingKeys }: Stores): Promise<void> {
  const { revision, keys } = await signingKeys.read();
  await signingKeys.replace(revision, [...keys.slice(-1), signingKey()], event("signing_keys.changed"));
}

function event(type: "token.exchanged" | "token.revoked" | "client.registered" | "signing_keys.changed") {
  return auditEvent({ type, organizationId: newOrganizationId() });
}
