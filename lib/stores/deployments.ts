import type { PublicKeyJwk } from "../protocol/oauth/public-key.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read, write } from "./operations.ts";

/** One publication, without its bundle. Times in milliseconds since the epoch. */
export interface PublishedRevision {
  readonly revision: number;
  /** SHA-256 of the artifact, in hexadecimal digits. */
  readonly digest: string;
  /** SHA-256 of the bundle's bytes, base64url: its pieces are kept under it. Absent: the bundle is not kept any more. */
  readonly bundle?: string;
  /** Of the bundle, as it is kept. */
  readonly bytes: number;
  readonly publishedAt: number;
  /** What the bundle says: a person's address, or what a pipeline calls itself. */
  readonly publishedBy: string;
  /** Who handed the bundle over: `user_…`, an API client, or `command line`. */
  readonly by: string;
  readonly reason?: string;
  readonly rollbackOf?: number;
  readonly expiresAt?: number;
  /** Who approved what `publishedBy` proposed: a person's address. Absent: nobody had to. */
  readonly approvedBy?: string;
}

/** What was published in a region, one document. */
export interface DeploymentRecord {
  /** Of this document. 0: nothing was ever published or taken over. Grows with each change. */
  readonly version: number;
  /** The highest revision that an instance has taken over: no lower one follows it. 0: none. */
  readonly highest: number;
  /** What the highest revision is, and for whom: whose store this is does not change. Absent: none was taken over. */
  readonly inUse?: RevisionInUse;
  /** Publications that are kept here; the latest last. */
  readonly published: readonly PublishedRevision[];
  /** With which the instances of this store sign what is published at the Console. Absent: none ever did. */
  readonly serviceKey?: ServiceKeyRecord;
  /** What somebody is about to publish. Absent: nothing. */
  readonly draft?: DraftRecord;
  /** What somebody would publish, if another person approves it. Absent: nothing. */
  readonly proposal?: ProposalRecord;
}

/** A P-256 key pair of the instances. */
export interface ServiceKeyRecord {
  /** RFC 7638 SHA-256 thumbprint, base64url. */
  readonly keyId: string;
  readonly publicKey: PublicKeyJwk;
  /** The private key, encrypted; no store can read it. */
  readonly sealedPrivateKey: string;
}

/** A text that is not published yet; it lies in pieces as a bundle does. */
export interface DraftRecord {
  /** Of the record that it was written with: no other draft ever has the same. */
  readonly version: number;
  /** Its pieces are kept under it. */
  readonly name: string;
  /** Of the text as UTF-8. */
  readonly bytes: number;
  /** The revision that it began with; absent: none. */
  readonly basedOn?: number;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  /** A person's address, or an API client. */
  readonly savedBy: string;
}

/** A publication that waits for a second person; its compiled configuration lies in pieces as a bundle does. */
export interface ProposalRecord {
  /** Of the record that it was written with: no other proposal ever has the same. */
  readonly version: number;
  /** Its pieces are kept under it. */
  readonly name: string;
  /** Of what lies in the pieces. */
  readonly bytes: number;
  /** The revision that it becomes. */
  readonly revision: number;
  /** SHA-256 of the artifact, in hexadecimal digits. */
  readonly digest: string;
  readonly reason?: string;
  readonly rollbackOf?: number;
  /** Whether keys that take a restart may change. */
  readonly restart: boolean;
  /** Milliseconds since the epoch. */
  readonly proposedAt: number;
  /** Nobody approves it from then on. */
  readonly expiresAt: number;
  /** A person's address, or an API client. */
  readonly proposedBy: string;
  /** `user_…` or `client_…`. */
  readonly by: string;
}

export interface RevisionInUse {
  /** As `PublishedRevision` has it. */
  readonly digest: string;
  readonly deployment: string;
  /** Absent: instances have no authorization server. */
  readonly region?: string;
}

/** A part of a bundle, of a draft or of a proposal: its text, joined with the others in the order of their numbers, is the base64 of the bytes. */
export interface BundlePiece {
  /** Its name. */
  readonly bundle: string;
  readonly number: number;
  readonly text: string;
}

/** What one instance says that it uses. Times in milliseconds since the epoch. */
export interface InstanceRecord {
  /** Made anew by each instance that starts. */
  readonly id: string;
  readonly runtime: "node" | "workers" | "lambda";
  /** Absent: nothing that was published is in use. */
  readonly revision?: number;
  /** Since when that is so. */
  readonly since: number;
  readonly seenAt: number;
  /** It is forgotten from then on, unless it is seen again. */
  readonly expiresAt: number;
  /** Why it does not use a newer one. */
  readonly problem?: string;
}

/** Instances that a store knows of: those that were seen last. */
export const MOST_INSTANCES = 200;

export const NO_DEPLOYMENT: DeploymentRecord = { version: 0, highest: 0, published: [] };

/** Characters of a piece, which a store keeps as one value (DynamoDB: 400 KB). */
export const PIECE_LENGTH = 300_000;
/** Bytes of the JSON text of a record. */
export const DEPLOYMENT_BYTES = 350_000;

/**
 * Linearizable compare-and-set of one document; bundles lie beside it in pieces, as no engine keeps ten megabytes as one value.
 */
export const DEPLOYMENTS = {
  readDeployment: read<() => DeploymentRecord>(),
  /**
   * Writes a record whose version is one more than the stored one, with events that become durable together with it; false, and
   * nothing is written, when it is not.
   */
  replaceDeployment: once<(record: DeploymentRecord, events: readonly AuditEvent[]) => boolean>(),
  /** A piece that is there already is the same. */
  keepPiece: write<(piece: BundlePiece) => void>(),
  /** Undefined: it is not kept. */
  piece: read<(bundle: string, number: number) => BundlePiece | undefined>(),
  /** Drops this many pieces of a bundle. */
  dropPieces: write<(bundle: string, count: number) => void>(),
  /** In the place of what the instance has said before. */
  tellInstance: write<(instance: InstanceRecord) => void>(),
  /** At most `MOST_INSTANCES` that are not forgotten at a time, seen last first. */
  instances: read<(now: number) => readonly InstanceRecord[]>(),
};

export type Deployments = Port<typeof DEPLOYMENTS>;
