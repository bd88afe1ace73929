import type {
  GatewaySettings,
  GatewaySettingsChange,
  LimitSetting,
} from "../../../lib/management/schemas/gateway-settings.ts";
import type { Answer } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { bodyOf } from "../gateway-settings/draft.ts";
import { SETTINGS_PATH } from "../gateway-settings/use-settings.ts";

/** Sends all limits in the place of those that hold; `null`: back to those of the configuration file. */
export function useChangedLimits({ body, etag }: Answer<GatewaySettings>, onDone: () => void) {
  const announce = useAnnounce();
  const { limits: _, ...others } = bodyOf(body.settings, {});
  return useSend<GatewaySettings, readonly LimitSetting[] | null>(
    (limits) => {
      const change: GatewaySettingsChange = { ...others, limits };
      return { method: "PUT", path: SETTINGS_PATH, body: change, ifMatch: etag };
    },
    {
      refreshes: [SETTINGS_PATH],
      onDone: () => {
        announce("The limits are changed. All instances use them within 5 seconds.");
        onDone();
      },
    },
  );
}
