import type { JsonObject } from "../kernel/json.ts";
import type { SignalledChange } from "../stops/signalled-stops.ts";

/** What an event is about, and what it brings about here. */
export type EventMeaning =
  | {
      readonly about: "person";
      readonly change: SignalledChange;
      /** For the stop and its record. */
      readonly reason: string;
      /** Their accounts at providers are disconnected, too. */
      readonly isPurged?: true;
    }
  /** Of the stream itself (OpenID Shared Signals Framework 1.0 §8.1.4, §8.1.5). */
  | { readonly about: "stream" }
  /** It is recorded, and nothing else. */
  | { readonly about: "other" };

const EVENTS = "https://schemas.openid.net/secevent/";
const STREAM: ReadonlySet<string> = new Set([
  `${EVENTS}ssf/event-type/verification`,
  `${EVENTS}ssf/event-type/stream-updated`,
]);

/** CAEP 1.0 §3, RISC 1.0 §2. */
const OF_PEOPLE: Readonly<Record<string, Extract<EventMeaning, { about: "person" }>>> = {
  [`${EVENTS}caep/event-type/session-revoked`]: {
    about: "person",
    change: "end",
    reason: "The session was revoked at the identity provider.",
  },
  // The name that RISC had for it.
  [`${EVENTS}risc/event-type/sessions-revoked`]: {
    about: "person",
    change: "end",
    reason: "The sessions were revoked at the identity provider.",
  },
  [`${EVENTS}risc/event-type/account-disabled`]: {
    about: "person",
    change: "suspend",
    reason: "The account was disabled at the identity provider.",
  },
  [`${EVENTS}risc/event-type/account-purged`]: {
    about: "person",
    change: "suspend",
    reason: "The account was deleted at the identity provider.",
    isPurged: true,
  },
  [`${EVENTS}risc/event-type/account-enabled`]: {
    about: "person",
    change: "lift",
    reason: "The account was enabled at the identity provider.",
  },
};

const CREDENTIAL_CHANGE = `${EVENTS}caep/event-type/credential-change`;
/** A credential that is added ends nothing (CAEP 1.0 §3.3.1). */
const TAKEN_AWAY: ReadonlySet<unknown> = new Set(["revoke", "update", "delete"]);

export function meaningOf(type: string, content: JsonObject): EventMeaning {
  if (STREAM.has(type)) return { about: "stream" };
  if (type === CREDENTIAL_CHANGE && TAKEN_AWAY.has(content.change_type))
    return { about: "person", change: "end", reason: "A credential was changed at the identity provider." };
  return Object.hasOwn(OF_PEOPLE, type) ? (OF_PEOPLE[type] as EventMeaning) : { about: "other" };
}
