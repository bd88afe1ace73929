import { useState } from "react";
import type { Draft } from "../../../lib/management/schemas/deployment.ts";
import { useApi } from "../../api/context.ts";
import type { ApiProblem } from "../../api/problem.ts";
import { useSend } from "../../api/use-send.ts";
import { ifThere, type Start } from "./use-start.ts";

/** The draft on the server, as far as this page knows it. */
export interface DraftState {
  readonly latest: Draft | undefined;
  readonly isPending: boolean;
  /** Of the last attempt to save; `isOthers` tells whether somebody else was faster. */
  readonly error: ApiProblem | null;
  readonly save: (text: string, onSaved: () => void) => void;
  /** Saves over what somebody else has saved meanwhile. */
  readonly overwrite: (text: string, onSaved: () => void) => void;
  /**
   * Keeps what was published or proposed, for whoever edits it next.
   * @param basedOn the latest revision; undefined: there is none
   */
  readonly keep: (text: string, basedOn: number | undefined) => void;
  /** Another one was read. */
  readonly begin: (start: Start) => void;
  /** Takes it away: nobody wants it. */
  readonly discard: (onDone?: () => void) => void;
  readonly isDiscarding: boolean;
  readonly discardError: ApiProblem | null;
}

const PATH = "/deployment/draft";

interface DraftChange {
  readonly text: string;
  readonly basedOn?: number | undefined;
}

/** There is a draft where this page knew of none (409), or it is another one, or gone (412). */
export function isOthers(error: ApiProblem | null): boolean {
  return error?.status === 409 || error?.status === 412;
}

/** RFC 9110 §13.1.1; undefined: there is none yet. */
function matching(draft: Draft | undefined): string | undefined {
  return draft === undefined ? undefined : `"${draft.version}"`;
}

export function useDraft(start: Start, onSaved: () => void): DraftState {
  const api = useApi();
  const [latest, setLatest] = useState(start.draft);
  const saving = useSend<Draft, { readonly body: DraftChange; readonly known: Draft | undefined }>(
    ({ body, known }) => ({
      ...{ method: "PUT", path: PATH, body },
      ifMatch: matching(known),
    }),
  );
  const discarding = useSend<undefined, Draft>((known) => ({ method: "DELETE", path: PATH, ifMatch: matching(known) }));
  const send = (text: string, known: Draft | undefined, done: () => void) =>
    saving.mutate(
      { body: { text, basedOn: known?.basedOn ?? start.inUse?.revision }, known },
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
    keep: (text, basedOn) => saving.mutate({ body: { text, basedOn }, known: latest }),
    begin: ({ draft }) => {
      saving.reset();
      setLatest(draft);
    },
    discard: (onDone) => {
      if (latest === undefined) return;
      discarding.mutate(latest, {
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
