import type { Measurement } from "../../../lib/application/heartbeat/source.ts";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import type { SecretsByReference } from "../../../lib/config/live-configuration.ts";
import type { DeploymentState } from "../../../lib/deployment/follow.ts";
import type { HealthReport } from "../../../lib/health/health.ts";
import type { LimitClaim, LimitVerdict } from "../../../lib/limits/limiter.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { SessionSignal } from "../../../lib/stores/session-channel.ts";
import type { SettingsRecord } from "../../../lib/stores/settings.ts";
import type { StopsRecord } from "../../../lib/stores/stops.ts";

/** Of the store's thread, in the folder of the sockets. */
export const STORE_SOCKET = "store";

/** What a worker is started with. */
export interface WorkerOrder {
  readonly artifact: ConfigurationArtifact;
  /** From 1 on. Whoever takes the place of a worker that ended has its number. */
  readonly number: number;
  /** How many there are. */
  readonly workers: number;
  /** Where the sockets of the server's processes are. */
  readonly folder: string;
  readonly setupToken: string | undefined;
  /** With which the key of the instances that sign publications is sealed; undefined: they do not. */
  readonly deploymentSecret: Uint8Array<ArrayBuffer> | undefined;
}

/** A verdict of the primary; what a granted one took is given back by its ticket. */
export type TakenVerdict =
  | Exclude<LimitVerdict, { outcome: "granted" }>
  | (Omit<Extract<LimitVerdict, { outcome: "granted" }>, "giveBack"> & { readonly ticket: number });

/** What workers ask of the primary. */
export type PrimaryOperations = {
  readonly order: () => WorkerOrder;
  readonly listening: () => void;
  /** It cannot start: in words for whoever started the server. */
  readonly failed: (message: string) => void;
  /** It has answered everything. Resolves when all have. */
  readonly drained: () => Promise<void>;
  readonly publish: (sessionHash: string, signal: SessionSignal) => Promise<number>;
  readonly take: (claims: readonly LimitClaim[]) => TakenVerdict | Promise<TakenVerdict>;
  readonly giveBack: (ticket: number) => void;
  readonly enter: (name: string, key: string, most: number) => Promise<number | undefined>;
  readonly leave: (ticket: number) => void;
  readonly recordRefusal: (event: AuditEvent) => Promise<void>;
  /** A call of a principal waits: false where too many do. */
  readonly waits: (principal: string) => Promise<number | undefined>;
  readonly clientChanged: (clientId: string) => Promise<void>;
  readonly settingsChanged: (record: SettingsRecord) => Promise<void>;
  /** Resolves when all know, or when each reads what is stopped by itself. */
  readonly stopsChanged: (record: StopsRecord) => Promise<void>;
  /** What the other workers say of themselves. */
  readonly healthOfOthers: () => Promise<readonly HealthReport[]>;
  readonly upstreamChanged: (app: string, isLost: boolean) => Promise<void>;
  /** Which published configuration is in use; undefined: none is followed. */
  readonly deploymentState: () => Promise<DeploymentState | undefined>;
  /** Looks whether another one was published. Resolves when it is in use, or refused. */
  readonly lookAtDeployment: () => Promise<void>;
};

/** What the primary asks of workers. */
export type WorkerOperations = {
  readonly signal: (sessionHash: string, signal: SessionSignal) => Promise<number>;
  readonly forgetClient: (clientId: string) => void;
  readonly useSettings: (record: SettingsRecord) => Promise<void>;
  readonly useStops: (record: StopsRecord) => void;
  /** Resolves when it answers by this configuration; rejects when it cannot. */
  readonly takeOver: (artifact: ConfigurationArtifact, secrets: SecretsByReference) => Promise<void>;
  readonly health: () => Promise<HealthReport>;
  readonly noteUpstream: (app: string, isLost: boolean) => void;
  /** What the process uses of the machine. */
  readonly measure: () => Measurement;
  /** Drains and ends. */
  readonly stop: () => void;
};
