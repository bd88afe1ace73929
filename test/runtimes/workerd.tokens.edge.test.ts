import { behaveAsSpecified } from "../behaviour/every-suite.ts";
import { bareWorkerd } from "./bare-workerd.ts";
import { workerd } from "./workerd.ts";

// Wrangler's harness follows redirects of upstreams itself and does not pass on that a client left.
behaveAsSpecified("tokens", workerd, bareWorkerd);
