import { useMutation } from "@tanstack/react-query";
import { useCallback, useContext, useEffect, useState } from "react";
import type { Profile } from "../../../lib/management/schemas/profile.ts";
import { useApi } from "../../api/context.ts";
import { ArrivalTokenContext } from "../../navigation/arrival-token.ts";

export interface LinkSignIn {
  /** `asking`: the browser has a session already, and whoever sits there has not said yet that it shall end. */
  readonly state: "none" | "asking" | "pending" | "failed";
  readonly error: unknown;
  /** The answer to `asking`. */
  readonly accept: () => void;
}

/**
 * Uses the token of the link that led here, exactly once: at once in a browser without a session, else when the person
 * wants it, since anybody can send somebody a link that signs in as somebody else.
 *
 * @param hasSession undefined while that is not known
 */
export function useLinkSignIn(hasSession: boolean | undefined, onDone: () => void): LinkSignIn {
  const api = useApi();
  const kept = useContext(ArrivalTokenContext);
  const [hasToken] = useState(kept.current !== undefined);
  const { mutate, error, isError, isIdle } = useMutation({
    mutationFn: (token: string) =>
      api.send<Profile>({ method: "POST", path: "/sign-in/link", body: { token }, isPublic: true }),
    onSuccess: onDone,
  });
  const accept = useCallback(() => {
    const token = kept.current;
    kept.current = undefined;
    if (token !== undefined) mutate(token);
  }, [kept, mutate]);
  useEffect(() => {
    // Effects may run twice while developing; whoever comes first has the token.
    if (hasSession === false) queueMicrotask(accept);
  }, [hasSession, accept]);
  if (!hasToken) return { state: "none", error, accept };
  if (isError) return { state: "failed", error, accept };
  return { state: isIdle && hasSession ? "asking" : "pending", error, accept };
}
