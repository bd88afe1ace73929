import type { Instance } from "../../../lib/management/schemas/instance.ts";
import { Note } from "../../parts/note.tsx";

/** Why tools cannot be tried here, in words; undefined: they can. */
export function trialObstacle({ trialURL }: Instance) {
  if (trialURL === undefined) {
    return (
      <Note title="Tools cannot be tried at this instance">
        Either <code>console.playground</code> is off, or the gateway takes no tokens of this instance over Streamable
        HTTP.
      </Note>
    );
  }
  const { origin } = new URL(trialURL);
  if (origin === location.origin) return undefined;
  return (
    <Note title="Tools cannot be tried from this address">
      The gateway is at <code>{origin}</code>, and pages of the Console speak with their own origin alone.
    </Note>
  );
}
