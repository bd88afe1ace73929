import { expect, test } from "vitest";
import { mistakes, resolved } from "./support.ts";

/** As operators of comparable products write one: every part at once. */
const DOCUMENT = `version: "1"
health:
  location: /status
  heartbeat: {disabled: false, logLevel: debug, interval: 60s}
logger: {level: info, jsonOutput: true, timeFormat: RFC3339Nano, logSessionID: true, fieldOrdering: {enabled: true}}
http:
  address: 0.0.0.0:443
  hosts:
    - default: true
      tls: gateway
    - name: api.example.com
      tls: api
  accessLog: {disabled: false, level: info}
tls:
  gateway: {certFile: /etc/tls/gateway.crt, keyFile: /etc/tls/gateway.key, minVersion: "1.2"}
  api:
    certFile: /etc/tls/api.crt
    keyFile: /etc/tls/api.key
    clientAuth: RequireAndVerifyClientCert
    clientCAFiles: [/etc/tls/clients.crt]
  internal: {caFile: /etc/tls/internal.crt}
session:
  cookie: {name: __Host-session}
  lifetime: {maxTimeout: 24h, idleTimeout: 15m}
  store: {type: local}
caches:
  - {name: shared, type: redis, redis: {addresses: ["redis.example.com:6379"], password: <redis.password>}}
telemetry:
  metrics:
    readers:
      - periodic:
          interval: 30000
          exporter:
            otlp:
              protocol: http/protobuf
              endpoint: https://collector.example.com/v1/metrics
              insecure: true
              timeout: 5000
  traces:
    processors:
      - simple: {exporter: {otlp: {protocol: http/protobuf, endpoint: "http://collector.example.com:4318/v1/traces"}}}
connectors:
  - name: auth-provider
    type: oidc
    tls: internal
    oauthClientID: gateway
    oauthClientSecret: <auth.clientSecret>
    oidcWellKnownURL: https://auth.example.com/.well-known/openid-configuration
    scopes: openid profile
    offlineAccess: {enabled: true}
    oauthLoginRedirect: {urls: ["https://gateway.example.com/oidc"]}
    oauthLogoutRedirect: {urls: ["https://gateway.example.com/logout"]}
apps:
  - name: portal
    type: proxy
    upstream: https://portal.internal
    routePatterns: [portal.example.com]
    policies: [{location: /, authentication: {idps: [auth-provider]}}]
`;

test("a document of the field loads without a change, with one warning for each key that is not in effect", async () => {
  expect(await mistakes(DOCUMENT)).toEqual([]);
  const secrets = { S_REDIS_PASSWORD: "a", S_AUTH_CLIENTSECRET: "b" };
  const { configuration, warnings } = await resolved(DOCUMENT, { secrets });
  expect(configuration.publicURL).toBe("https://localhost");
  expect(warnings.map(({ path }) => path)).toEqual(["session.store", "caches", "apps[0].policies[0]"]);
});
