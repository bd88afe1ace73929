import { expect, test } from "vitest";
import { OutboundError } from "../../lib/net/outbound.ts";
import { proxiesOf } from "../../lib/net/proxies.ts";

const PROXY = "http://proxy.example:3128/";

test("an environment without proxies has none", () => {
  expect(proxiesOf({})).toBeUndefined();
  expect(proxiesOf({ HTTP_PROXY: "", https_proxy: "", NO_PROXY: "example.com" })).toBeUndefined();
});

test("each scheme has its own proxy, and names in lower case win", () => {
  const environment = { HTTP_PROXY: "http://upper:1", http_proxy: "http://lower:1", HTTPS_PROXY: "https://secure:2" };
  expect(through("http://a.example/", environment)).toBe("http://lower:1/");
  expect(through("https://a.example/", environment)).toBe("https://secure:2/");
  expect(through("https://a.example/", { HTTP_PROXY: PROXY })).toBeUndefined();
});

test("a proxy without a scheme is reached by HTTP", () => {
  expect(through("http://a.example/", { HTTP_PROXY: "proxy.example:3128" })).toBe(PROXY);
});

test.each(["socks5://proxy.example:1080", "http://", "http://user:hunter2@[", "http://proxy.example:99999"])(
  "%s is refused by name and accepted form, and not shown",
  (value) => {
    const failure = (() => {
      try {
        return proxiesOf({ HTTPS_PROXY: value });
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(OutboundError);
    expect(String(failure)).toBe(
      "OutboundError: HTTPS_PROXY is not the URL of a proxy; accepted: http://HOST:PORT or https://HOST:PORT.",
    );
  },
);

test.each([
  ["*", "http://a.example/"],
  ["example.com", "http://example.com/"],
  ["example.com", "http://api.example.com/"],
  ["example.com", "https://EXAMPLE.com.:8443/"],
  ["Example.COM.", "http://example.com/"],
  [".example.com", "http://api.example.com/"],
  ["*.example.com", "http://deep.api.example.com/"],
  ["other.example, example.com", "http://example.com/"],
  ["other.example example.com", "http://example.com/"],
  ["example.com:8080", "http://example.com:8080/"],
  ["example.com:80", "http://example.com/"],
  ["example.com:443", "https://example.com/"],
  ["*:8080", "http://a.example:8080/"],
  ["192.0.2.1", "http://192.0.2.1:9000/"],
  ["192.0.2.1:9000", "http://192.0.2.1:9000/"],
  ["192.0.2.0/24", "http://192.0.2.200/"],
  ["2001:db8::1", "http://[2001:db8::1]/"],
  ["[2001:db8::1]", "http://[2001:0db8::0001]/"],
  ["[2001:db8::1]:8080", "http://[2001:db8::1]:8080/"],
  ["2001:db8::/32", "http://[2001:db8:1::1]:8080/"],
  ["", "http://localhost:8080/"],
  ["", "https://127.8.9.10/"],
  ["", "http://[::1]:9000/"],
  ["", "http://169.254.169.254/metadata/identity/oauth2/token"],
  ["", "http://[fe80::1]/"],
  ["", "http://metadata.google.internal/computeMetadata/v1/"],
])("NO_PROXY=%s sends %s directly", (entries, url) => {
  expect(through(url, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: entries })).toBeUndefined();
});

test.each([
  ["", "http://example.com/"],
  ["example.com", "http://anexample.com/"],
  ["example.com", "http://example.com.evil.example/"],
  [".example.com", "http://example.com/"],
  ["*.example.com", "http://example.com/"],
  ["example.com:8080", "http://example.com/"],
  ["192.0.2.0/24", "http://192.0.3.1/"],
  ["192.0.2.0/33", "http://192.0.2.1/"],
  ["2.1", "http://192.0.2.1/"],
  ["[2001:db8::1]:8080", "http://[2001:db8::1]/"],
  ["local", "http://localhost.example/"],
])("NO_PROXY=%s leaves %s to the proxy", (entries, url) => {
  expect(through(url, { HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, NO_PROXY: entries })).toBe(PROXY);
});

function through(url: string, environment: Readonly<Record<string, string>>): string | undefined {
  return proxiesOf(environment)?.proxyOf(new URL(url));
}
