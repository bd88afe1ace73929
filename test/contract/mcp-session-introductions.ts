import type { SessionIntroduction } from "../../lib/stores/mcp-sessions.ts";

/** Of a session that began before its client said anything. */
export const NOTHING_SAID: SessionIntroduction = { clientInfo: { name: "", version: "" }, clientCapabilities: {} };

export const INTRODUCTION: SessionIntroduction = {
  clientInfo: { name: "A late agent", version: "3" },
  clientCapabilities: { sampling: {}, roots: { listChanged: true } },
};

/** What JSON has and a store's own values may not; what looks like a store's own; and less than before. */
export const INTRODUCTIONS: readonly SessionIntroduction[] = [
  INTRODUCTION,
  INTRODUCTION,
  {
    clientInfo: { name: "\ud800\u0000' --", version: "" },
    clientCapabilities: { "": "", nothing: null, many: 1e300, list: [null, [], {}], half: "\ud800", lastSeenAt: 1 },
  },
  { clientInfo: { name: "Ümläut 🙂", version: "1" }, clientCapabilities: {} },
];
