/** Whether a cookie with this `Domain` is sent to a host (RFC 6265 §5.1.3). */
export function isWithinDomain(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Why hosts of a domain are not all of one owner; undefined: nothing is known against it. Browsers know more (RFC 6265 §5.3). */
export function sharedDomain(domain: string): string | undefined {
  const labels = domain.split(".");
  if (/^[\d.]+$/.test(domain)) return "an IP address";
  if (labels.length < 2) return "a single label";
  if (SHARED.includes(domain) || REGIONAL.some((suffix) => isWithinDomain(domain, suffix))) return EVERYBODYS;
  // As co.uk and com.au: two labels, and the first says for what kind of owner.
  const [kind = "", country = ""] = labels;
  const isOfCountry = labels.length === 2 && /^[a-z]{2}$/.test(country) && KINDS.has(kind);
  return isOfCountry ? EVERYBODYS : undefined;
}

const EVERYBODYS = "a domain under which everybody can have a host";

/** Second labels that registries of countries sell names under. */
const KINDS: ReadonlySet<string> = new Set([
  ...[
    "ac",
    "co",
    "com",
    "edu",
    "gen",
    "gob",
    "gouv",
    "gov",
    "govt",
    "gv",
    "id",
    "ind",
    "info",
    "ltd",
    "me",
    "mil",
    "ne",
  ],
  ...["net", "nhs", "nom", "or", "org", "plc", "police", "sch", "school", "web"],
]);

/** Hosting where customers have hosts beside each other, as its own documents name them. What is below may be one customer's. */
const SHARED: readonly string[] = [
  ...[
    "workers.dev",
    "pages.dev",
    "r2.dev",
    "trycloudflare.com",
    "cloudfront.net",
    "amplifyapp.com",
    "azurewebsites.net",
  ],
  ...["cloudapp.net", "azurefd.net", "azure-api.net", "web.app", "firebaseapp.com", "cloudfunctions.net", "github.io"],
  ...["github.dev", "githubpreview.dev", "gitlab.io", "netlify.app", "vercel.app", "now.sh", "herokuapp.com"],
  ...["onrender.com", "fly.dev", "deno.dev", "railway.app", "surge.sh", "ngrok.io", "ngrok.app", "ngrok.dev"],
  ...["ngrok-free.app", "ngrok-free.dev", "glitch.me", "repl.co", "replit.app", "ondigitalocean.app"],
  ...["myshopify.com", "blogspot.com", "wordpress.com", "duckdns.org", "nip.io", "sslip.io", "localtest.me"],
];

/** The same with regions and services between the customer and the provider: nothing below is known to be one customer's. */
const REGIONAL: readonly string[] = [
  ...["amazonaws.com", "awsapprunner.com", "elasticbeanstalk.com", "on.aws", "cloudapp.azure.com", "windows.net"],
  ...["azurestaticapps.net", "azurecontainerapps.io", "run.app", "appspot.com", "digitaloceanspaces.com"],
];
