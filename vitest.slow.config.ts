import { mergeConfig } from "vitest/config";
import { SETTINGS } from "./vitest.config.ts";

/** What starts processes again and again, or waits for them to die or for alarms: `npm run test:slow`, a step of `.ci/run` beside `npm test`. */
export default mergeConfig(SETTINGS, { test: { include: ["test/**/*.slow.test.ts"] } });
