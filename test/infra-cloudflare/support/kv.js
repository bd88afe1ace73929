/**
 * What bare workerd needs behind a KV binding: the requests that it turns get, put and delete into. Keeps everything in
 * memory and forgets nothing, and writes each value to a file of its own where tests look at what is stored; KV itself is tested under wrangler's harness.
 */
const values = new Map();

export default {
  async fetch(request, env) {
    const key = new URL(request.url).pathname;
    switch (request.method) {
      case "GET":
        return values.has(key) ? new Response(values.get(key)) : new Response(null, { status: 404 });
      case "PUT":
        values.set(key, await request.text());
        await env.KEPT?.fetch(`http://kept/${crypto.randomUUID()}`, {
          method: "PUT",
          body: `${key}\n${values.get(key)}`,
        });
        return new Response();
      case "DELETE":
        values.delete(key);
        return new Response();
      default:
        return new Response(null, { status: 405 });
    }
  },
};
