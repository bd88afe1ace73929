import { useState } from "react";
import { useApi } from "../../api/context.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { useSend } from "../../api/use-send.ts";
import type { Draft, DraftChange } from "./deployment-api.ts";
import { ifThere, type Start } from "./use-start.ts";

/** The draft on the server, as far as this page knows it. */
export interface DraftState {
  readonly latest: Draft | undefined;
  readonly isPending: boolean;
  /** Of the last attempt to save; somebody else's draft is a conflict (409). */
  readonly error: ApiProblem | null;
  readonly save: (text: string, onSaved: () => void) => void;
  /** Saves over what somebody else has saved meanwhile. */
  readonly overwrite: (text: string, onSaved: () => void) => void;
  /** Another one was read. */
  readonly begin: (start: Start) => void;
  /** Takes it away: it is published, or nobody wants it. */
  readonly discard: (onDone?: () => void) => void;
  readonly isDiscarding: boolean;
  readonly discardError: ApiProblem | null;
}

const PATH = "/deployment/draft";

export function useDraft(start: Start, onSaved: () => void): DraftState {
  const api = useApi();
  const [latest, setLatest] = useState(start.draft);
  const saving = useSend<Draft, DraftChange>((body) => ({ method: "PUT", path: PATH, body }));
  const discarding = useSend<undefined, number>((version) => ({ method: "DELETE", path: PATH, query: { version } }));
  const send = (text: string, known: Draft | undefined, done: () => void) =>
    saving.mutate(
      { text, basedOn: known?.basedOn ?? start.inUse?.revision, version: known?.version },
      {
        onSuccess: ({ body }) => {
          setLatest(body);
          done();
          onSaved();
        },
      },
    );
  return {
    latest,
    isPending: saving.isPending,
    error: saving.error,
    save: (text, done) => send(text, latest, done),
    overwrite: (text, done) => {
      ifThere<Draft>(api, PATH).then(
        (theirs) => send(text, theirs, done),
        () => send(text, latest, done), // It fails again, and tells why.
      );
    },
    begin: ({ draft }) => {
      saving.reset();
      setLatest(draft);
    },
    discard: (onDone) => {
      if (latest === undefined) return;
      discarding.mutate(latest.version, {
        onSuccess: () => {
          setLatest(undefined);
          onDone?.();
        },
      });
    },
    isDiscarding: discarding.isPending,
    discardError: discarding.error,
  };
}
