import { useMutation } from "@tanstack/react-query";
import { useContext, useEffect, useState } from "react";
import type { Profile } from "../../../lib/management/schemas/profile.ts";
import { useApi } from "../../api/context.ts";
import { ArrivalTokenContext } from "../../navigation/arrival-token.ts";

/** Uses the token of the link that led here, exactly once, as soon as the page is there. */
export function useLinkSignIn(onDone: () => void) {
  const api = useApi();
  const kept = useContext(ArrivalTokenContext);
  const [hasToken] = useState(kept.current !== undefined);
  const { mutate, error, isError } = useMutation({
    mutationFn: (token: string) =>
      api.send<Profile>({ method: "POST", path: "/sign-in/link", body: { token }, isPublic: true }),
    onSuccess: onDone,
  });
  useEffect(() => {
    // Effects may run twice while developing; whoever comes first has the token.
    queueMicrotask(() => {
      const token = kept.current;
      kept.current = undefined;
      if (token !== undefined) mutate(token);
    });
  }, [kept, mutate]);
  return { isPending: hasToken && !isError, error };
}
