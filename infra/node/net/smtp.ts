import type { TlsConfiguration } from "../../../lib/config/configuration.ts";
import type { SendBySmtp } from "../../../lib/email/email.ts";
import type { Logger } from "../../../lib/logging/logger.ts";
import { openedEntry } from "./configured-outbound.ts";
import { readConnectionTls } from "./connection-tls.ts";

/** Milliseconds, of each step: whoever invites waits for it. */
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000, dnsTimeout: 5_000 };
/** Milliseconds, of all. */
const LONGEST = 10_000;

/** Invitations are rare: each has a connection of its own. Files of `tls` are read anew. */
export function smtpSender(parts: {
  readonly tls: Readonly<Record<string, TlsConfiguration>>;
  readonly logger: Logger;
}): SendBySmtp {
  return async ({ host, port, security, user, password, tls }, from, { to, subject, text, html }) => {
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      ...{
        host,
        port,
        secure: security === "tls",
        requireTLS: security === "starttls",
        ignoreTLS: security === "none",
      },
      ...(user !== undefined && password !== undefined && { auth: { user, pass: password } }),
      tls: { minVersion: "TLSv1.2", ...(tls !== undefined && openedEntry(tls, parts, readConnectionTls)) },
      ...TIMEOUTS,
      // Contents are texts alone.
      ...{ disableFileAccess: true, disableUrlAccess: true },
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new LateError()), LONGEST);
    const message = {
      ...{ from, to: { name: "", address: to }, subject, text, html },
      // RFC 3834 section 5: nobody answers it by a program.
      headers: { "Auto-Submitted": "auto-generated" },
    };
    try {
      await Promise.race([transport.sendMail(message), late.promise]);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  };
}

/** The server took too long. */
class LateError extends Error {
  readonly code = "ETIMEDOUT";
}
