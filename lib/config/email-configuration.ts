/** Services that send mail for others over HTTP, each with its own request. */
export const EMAIL_PROVIDERS = ["resend", "postmark"] as const;
export type EmailProvider = (typeof EMAIL_PROVIDERS)[number];

/** `starttls`: TLS is asked for on the connection, and without it nothing is sent (RFC 3207). `tls`: from the beginning (RFC 8314). */
export const SMTP_SECURITY = ["starttls", "tls", "none"] as const;

export interface SmtpConfiguration {
  readonly host: string;
  readonly port: number;
  readonly security: (typeof SMTP_SECURITY)[number];
  /** Both or none. */
  readonly user?: string;
  readonly password?: string;
  /** An entry of `tls`. */
  readonly tls?: string;
}

export interface EmailHttpConfiguration {
  readonly provider: EmailProvider;
  readonly apiKey: string;
  /** Absent: the provider's own. */
  readonly url?: string;
}

/** How the instance sends mail: by exactly one of both ways. */
export interface EmailConfiguration {
  /** An address, in lower case. */
  readonly from: string;
  readonly smtp?: SmtpConfiguration;
  readonly http?: EmailHttpConfiguration;
}
