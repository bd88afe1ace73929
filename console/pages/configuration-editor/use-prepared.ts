import { useEffect, useState } from "react";
import type { ConfigurationDocument } from "../../../lib/management/schemas/deployment.ts";
import type { Checker } from "../../configuration-check/checker.ts";
import type { Prepared } from "../../configuration-check/protocol.ts";

/** What the text changes in what is in use; undefined until that is known. `failed` says why it will not be. */
export function usePrepared(
  checker: Checker,
  inUse: ConfigurationDocument | undefined,
): { readonly prepared: Prepared | undefined; readonly failed: Error | undefined } {
  const [prepared, setPrepared] = useState<Prepared>();
  const [failed, setFailed] = useState<Error>();
  useEffect(() => {
    let isHere = true;
    checker.ask({ kind: "prepare", inUse: inUse?.document }).then(
      (found) => isHere && setPrepared(found),
      (error: Error) => isHere && setFailed(error),
    );
    return () => {
      isHere = false;
    };
  }, [checker, inUse]);
  return { prepared, failed };
}
