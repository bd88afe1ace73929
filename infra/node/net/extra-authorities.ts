import { causeOf } from "../../../lib/logging/cause.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import { readCertificates } from "./pem-file.ts";

/** Node reads the file late and says only on stderr that it could not: whoever reads the log should know as well. */
export function checkExtraAuthorities(
  environment: Readonly<Record<string, string | undefined>>,
  logger: Pick<Logger, "warn">,
): void {
  const file = environment.NODE_EXTRA_CA_CERTS;
  if (!file) return;
  try {
    readCertificates({ key: "NODE_EXTRA_CA_CERTS", file });
  } catch (error) {
    logger.warn("extra certificate authorities are not trusted", { cause: causeOf(error) });
  }
}
