import { expect, test } from "vitest";
import { isClientDocumentUrl } from "../../lib/authorization-server/clients/metadata-document.ts";

test.each([
  "https://agent.example/client",
  "https://agent.example/oauth/client-metadata.json",
  "https://agent.example/client?v=1",
  "https://agent.example:8443/client",
  "https://agent.example/a%20b",
])("%s can be the URL of a client's document", (url) => expect(isClientDocumentUrl(url)).toBe(true));

test.each([
  ...["http://agent.example/client", "https://agent.example", "https://agent.example/", "https:///client", "https://"],
  ...["https://agent.example/client#", "https://agent.example/client#x", "https://agent.example/client?"],
  ...["https://user@agent.example/client", "https://user:p@agent.example/client", "https://@agent.example/client"],
  ...["https://agent.example/a/../client", "https://agent.example/./client", "https://agent.example/%2e%2e/client"],
  ...["https://agent.example/a%2fclient", "https://agent.example/a%5Cclient", "https://agent.example\\client"],
  ...["HTTPS://agent.example/client", "https://AGENT.example/client", "https://agent.example:443/client"],
  ...["https://agent.example/ client", " https://agent.example/client", "https://agent.example/client\n"],
  ...["https://agent.example/é", "https://exämple.example/client", "https://0x7f.1/client", "", "client_x"],
  `https://agent.example/${"x".repeat(512)}`,
])("%j cannot", (url) => expect(isClientDocumentUrl(url)).toBe(false));
