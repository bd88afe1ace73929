import { node } from "../runtimes/node.ts";
import { telemetry } from "./every-runtime.ts";

telemetry(node);
