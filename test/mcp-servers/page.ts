import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A page that greets whoever gave a name on it, by what the browser keeps of it. */
export interface Page {
  readonly url: string;
  stop(): Promise<void>;
}

const HTML = `<!doctype html>
<title>Greeter</title>
<h1>Nobody</h1>
<label>Name <input></label>
<button>Greet</button>
<script>
  const greet = () => { document.querySelector("h1").textContent = localStorage.getItem("name") ?? "Nobody"; };
  document.querySelector("button").onclick = () => {
    localStorage.setItem("name", document.querySelector("input").value);
    greet();
  };
  greet();
</script>`;

export async function startPage(): Promise<Page> {
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(HTML));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
