import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { useRead } from "../../api/use-read.ts";
import { Note } from "../../parts/note.tsx";
import { SETTINGS_PATH } from "./use-settings.ts";

export interface AppliedNoteProps {
  readonly latest: GatewaySettings;
  /** They were saved here just now. */
  readonly isSaved: boolean;
}

/** An instance that has not taken settings after so long does not take them, milliseconds. */
const PATIENCE = 15_000;

/** Whether the settings are in effect. Says nothing as long as nobody has changed anything. */
export function AppliedNote({ latest: { isApplied, updatedAt }, isSaved }: AppliedNoteProps) {
  if (isApplied) {
    if (!isSaved) return null;
    return (
      <Note tone="good" title="Saved and in effect" isAlert>
        This instance uses these settings now. All others use them within 5 seconds.
      </Note>
    );
  }
  const isLate = updatedAt !== undefined && Date.now() - Date.parse(updatedAt) > PATIENCE;
  return (
    <>
      <Watch />
      {isLate ? (
        <Note tone="bad" title="This instance cannot use these settings" isAlert>
          They were stored, and the instance that answers has not taken them. Where they do not fit the configuration
          file any more, it serves no gateway at all; its log says what does not fit. Change the setting here or the
          file.
        </Note>
      ) : (
        <Note title="Stored, not in effect yet">
          The instance that answers takes the settings within 5 seconds. This page looks again by itself.
        </Note>
      )}
    </>
  );
}

/** Reads the settings again and again while it is there. */
function Watch() {
  useRead<GatewaySettings>(SETTINGS_PATH, { refetchInterval: 1_000 });
  return null;
}
