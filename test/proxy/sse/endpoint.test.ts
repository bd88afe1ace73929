import { expect, test } from "vitest";
import { endpointOf } from "../../../lib/upstream/sse/open-events.ts";

const CONFIGURED = "https://mcp.example:8443/base/sse?key=1";

test.each([
  ["/messages?session=1", "https://mcp.example:8443/messages?session=1"],
  ["messages", "https://mcp.example:8443/base/messages"],
  ["?session=1", "https://mcp.example:8443/base/sse?session=1"],
  ["https://MCP.example:8443/m", "https://mcp.example:8443/m"],
  ["//mcp.example:8443/m", "https://mcp.example:8443/m"],
])("an endpoint of the configured origin, %s, is posted to", (named, endpoint) => {
  expect(endpointOf(named, CONFIGURED)).toBe(endpoint);
});

test.each([
  "https://other.example/m",
  "//other.example/m",
  "https://mcp.example/m",
  "http://mcp.example:8443/m",
  "https://mcp.example:8443@other.example/m",
  "https://user:secret@mcp.example:8443/m",
  "\\\\other.example\\m",
  "http://169.254.169.254/latest",
  "file:///etc/passwd",
  "data:,x",
  "https://",
])("any other, %s, is not", (named) => {
  expect(() => endpointOf(named, CONFIGURED)).toThrow(/own origin/);
});
