import { mergeConfig } from "vitest/config";
import { SETTINGS } from "./vitest.config.ts";

/** What waits for processes to die and for alarms to ring, `npm run test:slow`: a step of `.ci/run` beside `npm test`. */
export default mergeConfig(SETTINGS, { test: { include: ["test/**/*.slow.test.ts"] } });
