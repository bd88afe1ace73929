import type { ClientIds } from "../api-clients/client-id.ts";
import type { RereadBudget } from "../api-clients/reread-budget.ts";
import type { RefusalLog } from "../audit/refusals.ts";
import type { ClientDocuments } from "../authorization-server/clients/client-documents.ts";
import type { KeyRing } from "../authorization-server/keys/key-ring.ts";
import type { RevokedSignerSearches } from "../authorization-server/refusal-records.ts";
import type { ConnectionConfiguration } from "../config/app-configuration.ts";
import type { ConfigurationSnapshot } from "../config/configuration.ts";
import type { GatewaySettings } from "../config/settings/settings.ts";
import type { ConsoleAssets } from "../console/assets.ts";
import type { FollowedDeployment } from "../deployment/follow.ts";
import type { KnownSessions } from "../directory/known-sessions.ts";
import type { SendBySmtp } from "../email/email.ts";
import type { Maintenance } from "../health/component.ts";
import type { OtherProcesses } from "../health/other-processes.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Random } from "../kernel/random.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Logger, LogScope } from "../logging/logger.ts";
import type { MessageRoom } from "../mcp/message-room.ts";
import type { SignatureVerifier } from "../protocol/oauth/signature-verifier.ts";
import type { Forward } from "../reverse-proxy/forward.ts";
import type { InstanceStops } from "../stops/instance-stops.ts";
import type { SessionChannel } from "../stores/session-channel.ts";
import type { Stores } from "../stores/stores.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { HeldConnections } from "../upstream/sse/held-connections.ts";
import type { WaitingCalls } from "../upstream/waiting/waiting-calls.ts";

/** Everything the code below `infra/` receives from outside. One object per instance; entries in `infra/` build it. */
export interface Dependencies {
  /** The current snapshot (D33). What keeps parts of it is built anew when `revision` changes, as all handlers are. */
  readonly configuration: () => ConfigurationSnapshot;
  /** Keeps the configuration up to date with its secrets (D57) and stored settings (D130); absent: it stays as it is. */
  readonly refreshConfiguration?: (maintenance: Maintenance) => void;
  /** What is published for this instance, as it follows it. Absent: its configuration comes with it. */
  readonly deployment?: FollowedDeployment | undefined;
  /** What people set of the gateway. Absent: the YAML document has no `mcpProvider`. */
  readonly gatewaySettings?: GatewaySettings | undefined;
  readonly stores: Stores;
  /** Whether the stores keep what is written, as far as is known. Absent: each write says it for itself. */
  readonly storeKeepsWrites?: () => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What every entry of one request carries, also those of `logger`. */
  readonly logScope: LogScope;
  readonly signatures: SignatureVerifier;
  /** Bounds authoritative re-reads of API clients (checklist 7). */
  readonly rereads: RereadBudget;
  /** Bounds the searches for revoked keys that signed. */
  readonly revokedSignerSearches: RevokedSignerSearches;
  /** Records what is refused, in bounded number. */
  readonly refusals: RefusalLog;
  /** What is stopped, as far as this instance knows (D173). */
  readonly instanceStops: InstanceStops;
  /** People's sessions at the authorization server: one for the instance, so that whoever ends one tells all who use it. */
  readonly knownSessions: KnownSessions;
  /** Counts what limits of the configuration are about (D168). */
  readonly limiter: Limiter;
  /** Bounds what large messages of agents take (checklist 43 and 48). */
  readonly messageRoom: MessageRoom;
  /** Outbound HTTP to addresses of the configuration. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Outbound HTTP; `tls` names an entry of `tls` whose CA and client certificate connections use. With `connection`,
   * also an empty one, connections are made and kept as it says, and none is ended because an answer is silent; runtimes
   * whose connections take no settings ignore it. Without both this is `fetch`. Throws `OutboundError` when the entry
   * cannot be used.
   */
  readonly outbound: (tls?: string, connection?: ConnectionConfiguration) => typeof globalThis.fetch;
  /**
   * Carries requests to upstreams of web apps as they are; `tls` as for `outbound`. Link-local addresses, and those at which
   * clouds tell machines about themselves, are refused. Throws `OutboundError` when the entry cannot be used.
   */
  readonly forward: (tls?: string) => Forward;
  /**
   * Outbound HTTP to addresses that an agent supplied (checklist 21): HTTPS to public addresses only, no redirects. Rejects
   * with `OutboundError` for any other.
   */
  readonly agentSuppliedFetch: typeof globalThis.fetch;
  /** Likewise to addresses that documents of others name (checklist 70), with every method and with bodies. */
  readonly publicFetch: typeof globalThis.fetch;
  /** Absent: this runtime sends no mail by SMTP. */
  readonly sendBySmtp?: SendBySmtp | undefined;
  readonly clientIds: ClientIds;
  /** What all instances of a deployment share and nobody else knows, 32 bytes or more: seals what agents keep for us. Absent: nothing is sealed here. */
  readonly stateSecret?: Uint8Array<ArrayBuffer> | undefined;
  /** Where calls wait for an agent's input. Absent: none can, as nothing stays in this runtime when a request is answered. */
  readonly waitingCalls?: WaitingCalls;
  /** Connections of agents' sessions to upstreams of the legacy transport. Absent: requests share no stream (D29), and each opens one. */
  readonly upstreamConnections?: HeldConnections;
  /** What access and ID tokens are signed with. */
  readonly keyRing: KeyRing;
  /** Metadata documents of clients that were fetched lately. */
  readonly clientDocuments: ClientDocuments;
  /** Between the requests of an agent's session. Absent: this runtime holds no stream open, and one request never learns of another. */
  readonly sessionChannel?: SessionChannel;
  /** Aborts when the instance begins to stop: what has no end of its own ends then. Absent: nobody knows beforehand. */
  readonly stopping?: AbortSignal;
  /** The pages of the Console. Absent: this instance was deployed without. */
  readonly consoleAssets?: ConsoleAssets | undefined;
  /** Of the same instance. Absent: it has one process, or its processes know nothing of each other. */
  readonly otherProcesses?: OtherProcesses | undefined;
  /** Metrics and traces; absent: nothing is measured. */
  readonly telemetry?: Telemetry;
}
