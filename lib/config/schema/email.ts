import { about } from "#about";
import { EMAIL_PROVIDERS, SMTP_SECURITY } from "../email-configuration.ts";
import { described, section } from "./section.ts";
import { email as address, choice, integer, secret, text, url } from "./types.ts";

const HOST = "a host name or an IP address";
const KEY = "a key of printable ASCII characters without spaces";

/** `email`: how invitations are sent. */
export const email = described(
  section({
    from: described(address(), about("Address of the sender. Its name is `branding.name`.", "invitations@example.com")),
    smtp: described(
      section({
        host: described(
          text(HOST).refine((value) => /^[\w.:-]+$/.test(value), { error: HOST }),
          about("Mail server.", "smtp.example.com"),
        ),
        port: described(integer(1, 65_535).default(587), about("Its port; with `security: tls` usually 465.")),
        security: described(
          choice(SMTP_SECURITY).default("starttls"),
          about(
            "`starttls`: nothing is sent before there is TLS. `tls`: TLS from the beginning. `none`: on this machine alone.",
          ),
        ),
        user: described(text().optional(), about("Name to sign in with, together with `password`.", "countersign")),
        password: described(secret(text()).optional(), about("Password for `user`.", "<mail.password>")),
        tls: described(
          text("the name of an entry of tls").optional(),
          about("The entry of `tls` for connections to the mail server."),
        ),
      }).optional(),
      about("A mail server. On Node."),
    ),
    http: described(
      section({
        provider: described(choice(EMAIL_PROVIDERS), about("Whose HTTP API it is.", "resend")),
        apiKey: described(
          secret(text(KEY).refine((value) => /^[\x21-\x7e]+$/.test(value), { error: KEY })),
          about("Key of the API; of Postmark the server's token.", "<mail.api-key>"),
        ),
        url: described(
          url().optional(),
          about("Where messages are posted, if not to the provider itself.", "https://mail.example.com/emails"),
        ),
      }).optional(),
      about("A service that sends mail. On all runtimes."),
    ),
  }).optional(),
  about("How invitations are sent. Without it nothing is: owners pass links on. Exactly one of `smtp` and `http`."),
);
