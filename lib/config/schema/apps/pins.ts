import { about } from "#about";
import { described, section } from "../section.ts";
import { choice, duration } from "../types.ts";

const PINS = {
  first: described(
    choice(["trust", "hold"]).default("trust"),
    about(
      "What becomes of the tools that are listed first. `trust`: they are approved as they are. `hold`: an owner approves each.",
    ),
  ),
  later: described(
    choice(["hold"]).default("hold"),
    about("What becomes of tools that are new or have changed. `hold`: an owner approves each."),
  ),
};

const MEANING = about(
  "Agents get tools as they were approved: one that is new or has changed is neither listed nor called before an owner approves it. By default nothing is held.",
);

/** `pins` of a REST API, whose tools are made of its document. */
export const documentPins = described(section(PINS).optional(), MEANING);

/** `pins` of an MCP server. */
export const serverPins = described(
  section({
    ...PINS,
    maxAge: described(
      duration().prefault("10m"),
      about(
        "Largest age of the server's list when a call is decided on. An older one is read again first. `0s` reads it for every call.",
      ),
    ),
  }).optional(),
  MEANING,
);
