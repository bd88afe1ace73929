import { type Changes, shownOf } from "./draft.ts";
import type { SettingName, Settings } from "./settings.ts";

/** Somebody whom changed settings cut off, or let in. */
export interface CutOff {
  readonly title: string;
  readonly words: string;
  /** Nobody confirms it by a mere click. */
  readonly isGrave?: boolean;
}

/** What changes do to agents. `address` is where these connect now, when it is known. */
export function cutOffs(settings: Settings, changes: Changes, address: string | undefined): readonly CutOff[] {
  const before = (name: SettingName) => shownOf(settings, {}, name).value;
  const after = (name: SettingName) => shownOf(settings, changes, name).value;
  const hasChanged = (name: SettingName) => before(name) !== after(name);
  const isOpen = (of: typeof after) => of("enabled") === true && of("oauthEnabled") === false;
  const closesOAuth = hasChanged("oauthEnabled") && after("oauthEnabled") === false;
  const found: CutOff[] = [];
  if (closesOAuth || (isOpen(after) && !isOpen(before))) found.push(openGateway(address, isOpen(after)));
  if (hasChanged("enabled") && after("enabled") === false) found.push(gatewayOff(address));
  if (hasChanged("oauthEnabled") && after("oauthEnabled") === true) found.push(OAUTH_ON);
  const path = String(after("streamPath"));
  // Anything else is refused, and cuts nobody off.
  if (hasChanged("streamPath") && path.startsWith("/")) found.push(otherPath(String(before("streamPath")), path));
  if (hasChanged("sessionHeaderName")) found.push(otherHeader(String(before("sessionHeaderName"))));
  return found;
}

function openGateway(address: string | undefined, isOpen: boolean): CutOff {
  const who = `everybody who reaches ${address ?? "its address"} may call the tools, and the audit log names neither an agent nor a person.`;
  return {
    title: "The gateway asks nobody for a token",
    words: isOpen ? `E${who.slice(1)}` : `As soon as it is on again, ${who}`,
    isGrave: true,
  };
}

function gatewayOff(address: string | undefined): CutOff {
  return {
    title: "Every agent of every organization is cut off",
    words: `Running calls finish. After that, ${address ?? "the gateway"} answers with 404, until somebody turns the gateway on again.`,
  };
}

const OAUTH_ON: CutOff = {
  title: "Agents without a token are cut off",
  words: "Their next request gets 401 with the address of the authorization server.",
};

function otherPath(before: string, after: string): CutOff {
  return {
    title: "Every agent that has the present address is cut off",
    words: `${before} answers with 404. Agents have to be given the new address, which ends in ${after}, and sign in for it again.`,
  };
}

function otherHeader(before: string): CutOff {
  return {
    title: "Agents that are in a session are cut off",
    words: `They go on to send its id as ${before}, and are refused until they begin anew. Agents that cannot be told another header keep out of sessions for good.`,
  };
}
