import * as z from "zod";
import { about } from "#about";
import { parseLocation } from "../../../reverse-proxy/locations.ts";
import { parseRoutePattern } from "../../../reverse-proxy/routes.ts";
import { described, section } from "../section.ts";
import { choice, flag, list, secret, size, text, timerInterval, url } from "../types.ts";
import { webAuthorization, webOutbound } from "./authorization.ts";
import { appName, headerName, organization, scope } from "./names.ts";

const ROUTE = "a host, a path or both, such as app.example.com, /app or example.com/app";

function route() {
  return text(ROUTE).refine((value) => parseRoutePattern(value) !== undefined, { error: ROUTE });
}

const METHOD = "an HTTP method in upper case, such as GET";
const method = text(METHOD)
  .regex(/^[A-Z][A-Z-]{0,31}$/, { error: METHOD })
  .refine((written) => written !== "HEAD", { error: "GET, which stands for HEAD, too" });

const LOCATION = "a path that begins with /, = and a path, or ~ and a regular expression";

/** What is wrong with a location stands behind what is accepted, as a part of its sentence. */
function location() {
  return text(LOCATION).superRefine((value, context) => {
    const location = parseLocation(value);
    if (!("problem" in location)) return;
    const problem = location.problem.replace(/^The /, "the ").replace(/\.$/, "");
    context.addIssue({ code: "custom", message: `${LOCATION}; ${problem}` });
  });
}

const authentication = section({
  idps: described(
    list(text()).optional(),
    about(
      "Connectors at which people sign in, by name; with several, people choose. `oidcProvider` stands for all of them.",
      ["corp"],
    ),
  ),
  allowUnauthenticated: described(
    flag().default(false),
    about("Lets everybody in, also without sign-in. Stands alone."),
  ),
  bearer: described(
    section({
      audiences: described(
        list(text()).min(1, { error: "a list with at least one audience" }),
        about("Audiences of which a token must have one.", ["https://payroll.example.com"]),
      ),
      scopes: described(
        list(scope()).default([]),
        about("Scopes that a token needs. All are required.", ["payroll:read"]),
      ),
    }).optional(),
    about("Lets programs in by access tokens, which are checked as those of agents. By default no program."),
  ),
});

const policy = section({
  location: described(
    location(),
    about(
      "Paths that the policy is for: `/prefix`, `= /exact` or `~ regular expression`. Exact ones come first, then the first regular expression in the order of the file, then the longest prefix. A path that no policy is for is refused.",
      "/",
    ),
  ),
  methods: described(
    list(method).min(1, { error: "a list with at least one method" }).optional(),
    about("HTTP methods that the policy is for. GET also stands for HEAD. By default all.", ["GET", "POST"]),
  ),
  authentication: described(
    authentication.optional(),
    about("Who is let in. One of `idps`, `bearer` and `allowUnauthenticated`."),
  ),
  authorization: webAuthorization,
});

const header = section({
  name: described(headerName(), about("Name of the header.", "SM_USER")),
  value: described(
    secret(text()),
    about(
      "Value: text, secrets, `{{ connector.CLAIM }}`, `{{ user.CLAIM }}`, `{{ agent.clientID }}` and `{{ request.id }}`. Lists are joined with commas. If a claim is missing, the header is omitted. Characters that a header cannot hold are percent-encoded.",
      "{{ corp.email }}",
    ),
  ),
});

/** Where the configuration names no other. */
export const ASSERTION_HEADER = "X-Countersign-Assertion";

const LIFETIME = "a positive duration such as 60s or 5m, at most 1h";
const HOUR = 3_600_000;

const assertion = section({
  header: described(headerName().default(ASSERTION_HEADER), about("Header that carries it.")),
  audience: described(
    text().optional(),
    about(
      "Audience (`aud`) of the assertion. By default the origin of `upstream`.",
      "https://payroll.internal.example",
    ),
  ),
  claims: described(list(text()).default([]), about("Claims of the person to add, by name.", ["groups"])),
  lifetime: described(
    timerInterval()
      .refine((milliseconds) => milliseconds <= HOUR, { error: LIFETIME })
      .prefault("60s"),
    about("How long the assertion is valid. At most 1h."),
  ),
});

const UPSTREAM = "an absolute http or https URL without user name, password, query or fragment";

/** The path that is matched has one form, and what a URL's parser would make of another one differs. */
function upstream() {
  return url(UPSTREAM).refine((value) => !value.includes("?") && !value.includes("\\"), { error: UPSTREAM });
}

const PATH = "a path that begins with /, without query and fragment";
const path = () => text(PATH).regex(/^\/[^?#]*$/, { error: PATH });

const ORIGIN = "an origin such as https://app.example.com, without path";

/** As browsers write it (Fetch, section 3.2), since it is compared character by character. */
function origin() {
  const isOrigin = (value: string) =>
    URL.canParse(value) && /^https?:$/.test(new URL(value).protocol) && new URL(value).origin === value;
  return text(ORIGIN).refine(isOrigin, { error: ORIGIN });
}

/** `apps[] type: proxy`: a web application or HTTP API behind the identity-aware reverse proxy. */
export const webApp = section({
  type: described(
    z.literal("proxy", { error: "proxy" }),
    about("A web application or HTTP API behind an identity-aware reverse proxy."),
  ),
  name: appName(),
  organization,
  shared: described(flag().default(false), about("Lets people and agents of every organization use the app.")),
  members: described(
    choice(["required", "any"]).optional(),
    about(
      "`required`: people must belong to the app's organization. `any`: whoever signs in. By default `required` where clients register themselves or come with metadata documents, and where there are several organizations.",
    ),
  ),
  routePatterns: described(
    list(route()).min(1, { error: "a list with at least one route" }),
    about(
      "Where the app is reached: a host, a path or both. A path ends at a segment: `/pay` takes `/pay/x`, not `/payroll`. The longest host wins, then the longest path. Paths of this instance itself always win.",
      ["payroll.example.com", "/payroll"],
    ),
  ),
  upstream: described(
    upstream(),
    about("URL to which requests go. Its path stands before that of the request.", "https://app.example"),
  ),
  stripPrefix: described(
    path().optional(),
    about(
      "Path that is taken from the front of the request's path. `Location` and the `Path` of cookies get it back.",
      "/payroll",
    ),
  ),
  preserveHost: described(flag().default(false), about("Sends the client's `Host` to the upstream. Not on Workers.")),
  tls: described(
    text().optional(),
    about("The entry of `tls` for connections to the upstream. Not on Workers.", "internal"),
  ),
  timeout: described(
    timerInterval().prefault("30s"),
    about("Timeout until the first byte of the upstream's answer. At most 50s on Lambda."),
  ),
  maxBody: described(size().prefault("100MB"), about("Largest body of a request. A larger one is answered with 413.")),
  headers: described(
    list(header).default([]),
    about(
      "Headers of each request to the upstream. The client cannot set them: what it sends under such a name is removed.",
    ),
  ),
  forwardAuthorization: described(
    flag().default(false),
    about("Sends the client's `Authorization` header to the upstream. Otherwise it is removed."),
  ),
  policies: described(
    list(policy).min(1, { error: "a list with at least one policy" }),
    about("Who may ask for which paths."),
  ),
  authorization: described(
    section({ outbound: webOutbound }).prefault({}),
    about("Which credentials requests to the upstream carry."),
  ),
  assertion: described(
    assertion.optional(),
    about(
      "Sends a signed statement of who asks, a JWT, with each request of somebody who is known. `{}` turns it on. By default off.",
    ),
  ),
  unauthorizedPage: described(
    url().optional(),
    about(
      "URL to which pages are redirected that the person may not open. By default a page of this instance.",
      "https://www.example.com/denied",
    ),
  ),
  errorPage: described(
    url().optional(),
    about(
      "URL to which pages are redirected when the upstream does not answer. By default a page of this instance.",
      "https://status.example.com",
    ),
  ),
  cors: described(
    section({
      allowedOrigins: described(
        list(origin()).default([]),
        about(
          "Origins whose preflights are answered here, and whose scripts may read answers of this instance, such as 401. The headers of the app's own answers are its own. By default none.",
          ["https://www.example.com"],
        ),
      ),
    }).prefault({}),
    about("Cross-origin requests."),
  ),
  logoutURL: described(
    path().optional(),
    about(
      "Path of the app at which people sign out. Ends the session here, then the request goes on to the upstream.",
      "/logout",
    ),
  ),
});
