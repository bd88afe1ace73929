/** How an agent comes by its token: a person signs in, or somebody gives it one. */
export type SignIn = "person" | "token";

/** What most MCP clients take as their list of servers, as JSON. */
export function clientConfiguration(url: string, signIn: SignIn): string {
  // Clients differ in how they name Streamable HTTP; a URL alone means it to all of them.
  const server = signIn === "person" ? { url } : { url, headers: { Authorization: "Bearer <access token>" } };
  return JSON.stringify({ mcpServers: { countersign: server } }, null, 2);
}
