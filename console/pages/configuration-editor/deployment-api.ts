/** Bodies of requests below `/deployment` that the editor makes. */

export interface DraftChange {
  readonly text: string;
  readonly basedOn?: number | undefined;
}

export interface PublicationRequest {
  /** JSON text: what is signed. */
  readonly artifact: string;
  readonly revision: number;
  readonly reason?: string | undefined;
  readonly restart?: boolean;
  readonly force?: readonly string[];
}
