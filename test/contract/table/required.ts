import type { Stores } from "../../../lib/stores/stores.ts";

/** A new one has no suite and no case below, which the compiler refuses. */
export type Port = Capitalize<keyof Stores>;

/** Suites of each port by the name in front of " on <engine>". */
const SUITES_OF: Readonly<Record<Port, readonly [string, ...string[]]>> = {
  ApiClients: ["API clients", "changing grants", "uses of key pairs", "migrations"],
  Tokens: ["tokens"],
  Grants: ["interactions", "consents", "authorization codes", "refresh tokens"],
  RegisteredClients: ["registered clients"],
  SigningKeys: ["signing keys"],
  SingleUse: ["single use"],
  Directory: ["first owner", "sign-in"],
  Members: ["members"],
  Invitations: ["invitations"],
  Passkeys: ["passkeys"],
  Identities: ["identities"],
  Settings: ["settings"],
  Stops: ["stops"],
  Pins: ["pins"],
  Limits: ["limits"],
  AuditLog: ["audit log"],
  McpSessions: ["agents' sessions"],
  Connections: ["connections", "sealed pairs"],
  Approvals: ["approvals"],
  Deployments: ["deployments"],
};

/** The port that each suite is about. */
export const SUITES: Readonly<Record<string, Port>> = Object.fromEntries(
  Object.entries(SUITES_OF).flatMap(([port, suites]) => suites.map((suite) => [suite, port as Port])),
);

/** The columns. An engine's name may go on with its variant in parentheses. */
export const ENGINES = ["SQLite", "SQLite in its own thread", "Durable Objects", "DynamoDB"] as const;
export type Engine = (typeof ENGINES)[number];

interface Absence {
  readonly suite: string;
  /** Of one case; absent: of the whole suite. */
  readonly title?: string;
  readonly engine: Engine;
  readonly reason: string;
}

/** Suites that an engine does not have, and why. */
export const ABSENCES: readonly Absence[] = [
  {
    suite: "migrations",
    engine: "Durable Objects",
    reason: "one process at a time has an object, so none migrates it twice",
  },
  {
    suite: "audit log",
    title: "53. of records that are too old the numbers are kept",
    engine: "Durable Objects",
    reason: "an alarm does it, in infra-cloudflare/audit-retention.edge.test.ts",
  },
  {
    suite: "approvals",
    title: "76. an approval that is over leaves one record of that",
    engine: "Durable Objects",
    reason: "an alarm does it, and none can be rung from outside",
  },
  { suite: "migrations", engine: "DynamoDB", reason: "items have a version each and no migration touches them" },
];

/** A case that every store has to stand: beginnings of test titles for each port it concerns, else why it does not. */
export interface RequiredCase {
  readonly name: string;
  readonly tests: Readonly<Record<Port, readonly string[] | { readonly none: string }>>;
}

const CONSUMES_NOTHING = { none: "consumes nothing: parallel changes are decided by revision or id" };
const NEVER_CHANGES = { none: "a record never changes and never expires" };
const COUNTED = { none: "one number that one statement changes: what is lost with it was granted to nobody" };
const AS_SETTINGS = { none: "written by the same statements as the settings, which have this case" };
const ISSUES_NOTHING = { none: "issues nothing that could be revoked" };

export const REQUIRED: readonly RequiredCase[] = [
  {
    name: "50 parallel consumers of one value",
    tests: {
      ApiClients: CONSUMES_NOTHING,
      Tokens: [
        "5. of 50 parallel issues with one assertion id",
        "5. of 50 parallel acceptances of one assertion id",
        "5. of 50 parallel uses of one assertion id, by two processes",
        "ending twice records once, and of 50 parallel ends",
      ],
      Grants: [
        "14. of 50 parallel steps one is taken",
        "14. of 50 parallel ends of an interaction one ends it",
        "of 50 consents that are given at once",
        "of 50 parallel ends of a consent one ends it",
        "13. of 50 parallel redemptions of a code one succeeds",
        "15. refresh against refresh",
        "15. of 50 parallel rotations without grace one rotates",
      ],
      RegisteredClients: ["of 50 parallel registrations under one id"],
      SigningKeys: ["of 50 parallel changes of one revision"],
      SingleUse: ["of 50 parallel consumers of one value", "of 50 parallel consumers of one setup token"],
      Directory: ["of 50 parallel first owners", "of 50 parallel uses of a sign-in link"],
      Members: [
        "of 50 parallel demotions and removals of two owners",
        "of 50 parallel removals of one member",
        "of 50 parallel removals from two organizations",
        "of 50 parallel changes of an organization's name",
      ],
      Invitations: [
        "of 50 parallel acceptances of one invitation",
        "49. an address that a person has keeps nobody out",
      ],
      Passkeys: ["of 50 parallel additions of one credential id", "of 50 parallel uses of one counter"],
      Identities: ["of 50 parallel links of one account"],
      Settings: ["of 50 parallel writers of one revision"],
      Stops: ["52. of 50 parallel writers of one revision"],
      Pins: ["74. of 50 parallel writers of one revision"],
      Limits: ["51. of 50 parallel leases by two processes"],
      AuditLog: CONSUMES_NOTHING,
      McpSessions: [
        "25. of 50 parallel ends of a session one ends it",
        "of 50 parallel uses each finds the session",
        "of 50 parallel first sessions at an upstream one is kept",
      ],
      Connections: [
        "68. of 50 parallel intents, of two processes",
        "68. of 50 parallel outcomes of one token",
        "of 8 parallel connections of one key",
      ],
      Approvals: [
        "76. of 50 parallel uses of one approval",
        "76. of 50 parallel decisions",
        "76. of 50 parallel requests",
      ],
      Deployments: ["81. of 50 parallel writers of one version"],
    },
  },
  {
    name: "issue against revoke",
    tests: {
      ApiClients: ["8. of 50 issues that meet a change"],
      Tokens: [
        "8. issue against the revocation of the key",
        "8. issue against a change of the grants",
        "8. issue against a deletion:",
        "8. issue against a deletion with the tokens",
        "introspect against its revocation",
        "introspect against the deletion of client and tokens",
        "18. exchange against the end of the chain",
        "18. exchange against the end of the subject token",
        "18. exchange against the end of the token before that",
        "18. exchange against the revocation of an opaque subject",
        "18. exchange against the end of the consent",
        "18. exchange against the deletion of client and tokens",
      ],
      Grants: [
        "18. start against the end of the consent",
        "18. redemption against the end of the consent",
        "18. refresh against the end of the consent",
        "13. refresh against another redemption of the code",
      ],
      RegisteredClients: ISSUES_NOTHING,
      SigningKeys: ISSUES_NOTHING,
      SingleUse: ISSUES_NOTHING,
      Directory: ISSUES_NOTHING,
      Members: [
        "the removal of the last membership against another acceptance",
        "86. of API clients that are made while their organization is closed, each is listed afterwards, or was refused",
      ],
      Invitations: ["acceptance against revocation"],
      Passkeys: ["use against removal"],
      Identities: ISSUES_NOTHING,
      Settings: ISSUES_NOTHING,
      Stops: ["52. issue against a stop"],
      Pins: ISSUES_NOTHING,
      Limits: ISSUES_NOTHING,
      AuditLog: ISSUES_NOTHING,
      McpSessions: [
        "25. use against end",
        "25. create against end",
        "a log level and a name against end",
        "a session at an upstream against end",
      ],
      Connections: ["refresh against disconnection", "68. a slow holder's new pair lands"],
      Approvals: { none: "a decision is made once: of parallel ones one counts" },
      Deployments: ISSUES_NOTHING,
    },
  },
  {
    name: "a failing operation inside a group",
    tests: {
      ApiClients: ["of many creations at a time one of an id that exists fails"],
      Tokens: ["of many issues at a time one of a token that exists fails"],
      Grants: ["of many redemptions at a time one that brings a token that exists fails"],
      RegisteredClients: ["of many registrations at a time one of an id that exists fails"],
      SigningKeys: ["a set of keys that is put in place beside a failing write"],
      SingleUse: ["values that are consumed beside a failing write"],
      Directory: ["links and sessions that are made beside a failing write"],
      Members: ["of many organizations at a time one of an id that exists fails"],
      Invitations: ["of many invitations at a time one of a secret that exists fails"],
      Passkeys: ["passkeys that are added beside a failing write"],
      Identities: ["accounts that are linked beside a failing write"],
      Settings: ["settings that are changed beside a failing write"],
      Stops: AS_SETTINGS,
      Pins: AS_SETTINGS,
      Limits: COUNTED,
      AuditLog: ["records that are written beside a failing write"],
      McpSessions: ["of many sessions that begin at a time one of a hash that exists fails"],
      Connections: ["connections that are made and refreshed beside a failing write"],
      Approvals: ["76. approvals that are asked for beside a failing write"],
      Deployments: AS_SETTINGS,
    },
  },
  {
    name: "restart",
    tests: {
      ApiClients: ["clients and their keys survive a restart", "uses survive a restart"],
      Tokens: [
        "tokens, used assertion ids and revocations survive a restart",
        "exchanged tokens and ends survive a restart",
      ],
      Grants: [
        "interactions survive a restart",
        "consents and their ends survive a restart",
        "chains, used codes and ends survive a restart",
        "rotations survive a restart",
      ],
      RegisteredClients: ["registered clients survive a restart"],
      SigningKeys: ["keys survive a restart"],
      SingleUse: ["a used value stays used after a restart"],
      Directory: ["links and sessions survive a restart", "with an owner in place no first organization"],
      Members: ["organizations, members and their roles survive a restart"],
      Invitations: ["open, used and revoked invitations survive a restart"],
      Passkeys: ["passkeys, their uses and removals survive a restart"],
      Identities: ["linked and unlinked accounts survive a restart"],
      Settings: ["settings survive a restart"],
      Stops: ["stops survive a restart"],
      Pins: ["pins and definitions survive a restart"],
      Limits: ["51. counts survive a restart"],
      AuditLog: ["a record left open reads unknown after a restart"],
      McpSessions: [
        "sessions, their uses, log levels, names and ends survive a restart",
        "sessions at upstreams survive a restart",
      ],
      Connections: ["connections in every state survive a restart"],
      Approvals: ["76. approvals in every state survive a restart"],
      Deployments: ["81. what was published and its bundles survive a restart"],
    },
  },
  {
    name: "restart after kill -9",
    tests: {
      ApiClients: [
        "each client is whole",
        "each key pair is added or revoked as a whole",
        "each client is deleted as a whole",
      ],
      Tokens: [
        "each issued token is whole",
        "a revocation of a token that was acknowledged holds",
        "18. each exchanged token is there with its event",
      ],
      Grants: [
        "each interaction is there at its last step",
        "18. each consent is there with its event",
        "each chain is there with its code",
        "13. each redemption is whole",
        "15. each rotation is whole",
      ],
      RegisteredClients: ["each registration is there with its event"],
      SigningKeys: ["each change of the keys took place as a whole"],
      SingleUse: ["a value that was acknowledged as consumed stays used"],
      Directory: ["each link is there with its event or not at all", "each session is there as it was made"],
      Members: [
        "each organization is there with its owner",
        "each change of a role and each removal took place as a whole",
      ],
      Invitations: ["each invitation is open, used or revoked as a whole"],
      Passkeys: ["each passkey is there as it was last used"],
      Identities: ["each account is linked with its event"],
      Settings: ["each change of the settings took place as a whole"],
      Stops: AS_SETTINGS,
      Pins: AS_SETTINGS,
      Limits: COUNTED,
      AuditLog: ["each record is there as it was written, once"],
      McpSessions: ["each session is there as it was last used"],
      Connections: { none: "one record that is written with its event, as a passkey is, which has this case" },
      Approvals: { none: "one record that is written with its events, as a passkey is, which has this case" },
      Deployments: AS_SETTINGS,
    },
  },
  {
    name: "a clock that differs by a minute between callers",
    tests: {
      ApiClients: ["a later change by the clock that is behind counts"],
      Tokens: [
        "5. an assertion id of 50 parallel issues counts once",
        "a token is expired for one clock",
        "what one clock revoked is over for the other",
      ],
      Grants: [
        "14. an interaction that has expired for one clock",
        "13. a code that has expired for one clock",
        "13. of 50 redemptions by both clocks",
        "18. a consent that one clock took back",
        "18. a chain that one clock ended",
        "15. a refresh token that the clock ahead rotated",
        "15. of 50 rotations by both clocks",
      ],
      RegisteredClients: NEVER_CHANGES,
      SigningKeys: { none: "decided by revision: no clock is asked" },
      SingleUse: ["a value that has expired for one clock and not for the other"],
      Directory: ["a link that has expired for one clock", "a session that both clocks touch"],
      Members: { none: "decided by roles, owners and revisions: no clock is asked" },
      Invitations: ["an invitation that has expired for one clock is open for the other"],
      Passkeys: { none: "decided by counter: no clock is asked" },
      Identities: NEVER_CHANGES,
      Settings: { none: "decided by revision: no clock is asked" },
      Stops: { none: "decided by revision: no clock is asked" },
      Pins: { none: "decided by revision: no clock is asked" },
      Limits: ["51. a clock that is behind"],
      AuditLog: ["records of both clocks are shown at once"],
      McpSessions: [
        "a session that has expired for one clock is live for the other",
        "a session that both clocks use keeps the later time",
        "25. a session that one clock ended is over for the other",
      ],
      Connections: ["68. an intent is written once"],
      Approvals: ["76. an approval that has expired for one clock"],
      Deployments: { none: "decided by version: no clock is asked" },
    },
  },
  {
    name: "two schema versions side by side",
    tests: {
      ApiClients: [
        "records of both releases are read and changed by both",
        "several processes migrate the previous release's database at once",
        "a process of the previous release goes on writing",
        "a database of a newer release is left as it is",
      ],
      Tokens: ["tokens of one release are active for the other", "8. a key that one release revoked"],
      Grants: ["consents, chains and interactions of this release are there again"],
      RegisteredClients: ["registrations of this release are there again"],
      SigningKeys: ["keys of this release are there again"],
      SingleUse: ["a value that one release consumed"],
      Directory: ["people, links and sessions of one release"],
      Members: [
        "the first organization of the release before this one",
        "organizations and members of this release are there again",
      ],
      Invitations: ["invitations of this release are there again"],
      Passkeys: ["passkeys of this release are there again"],
      Identities: ["linked accounts of this release are there again"],
      Settings: ["settings of this release are there again"],
      Stops: { none: "a set of tables of its own, or items, of which the release before knows nothing" },
      Pins: { none: "a set of tables of its own, or items, of which the release before knows nothing" },
      Limits: { none: "a set of tables of its own, or items, of which the release before knows nothing" },
      AuditLog: ["records of one release are read and completed by the other"],
      McpSessions: ["sessions of this release are there again"],
      Connections: { none: "a set of tables of its own, or items, of which the release before knows nothing" },
      Approvals: { none: "a set of tables of its own, or items, of which the release before knows nothing" },
      Deployments: { none: "a set of tables of its own, or items, of which the release before knows nothing" },
    },
  },
];
