import type { Deployment } from "../../../lib/management/schemas/deployment.ts";

/** Answers and bodies below `/deployment` that the editor uses. */

/** Who signs what is published from the Console: the service, or an operator with `countersign publish`. */
export type SigningDeployment = Deployment & { readonly signing?: "operator" | "service" };

/** What is being written, kept by the server for all owners. */
export interface Draft {
  readonly text: string;
  /** The revision that was in use when it was begun. */
  readonly basedOn?: number;
  readonly version: number;
}

export interface DraftChange {
  readonly text: string;
  readonly basedOn?: number | undefined;
  /** Absent: there is none yet. */
  readonly version?: number | undefined;
}

/** The document that is in use, with placeholders as they are written. */
export interface InUse {
  readonly revision?: number;
  readonly document: unknown;
}

export interface PublicationRequest {
  readonly artifact: unknown;
  readonly revision: number;
  readonly reason?: string | undefined;
  readonly restart?: boolean;
  readonly force?: readonly string[];
}
