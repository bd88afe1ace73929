import type { Application } from "../../functions/routes.ts";
import type { Listener } from "../../infra/node/http/listen.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import { jsonLine } from "../../lib/logging/log-line.ts";

/** What `listen` needs to serve an application that stands alone; log lines go to `lines`. */
export function listenerOf(application: Application, lines: string[] = []): Listener {
  const write = (line: string) => lines.push(line);
  const logger = lineLogger({ level: "debug", format: jsonLine, write, clock: systemClock, soid: "test" });
  return {
    application,
    waitUntil: () => undefined,
    dependencies: { clock: systemClock, random: webCryptoRandom, logger },
    publicURL: "https://countersign.example",
  };
}
