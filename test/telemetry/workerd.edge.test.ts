import { bareWorkerd } from "../runtimes/bare-workerd.ts";
import { telemetry } from "./every-runtime.ts";

telemetry(bareWorkerd);
