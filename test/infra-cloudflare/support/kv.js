/**
 * What bare workerd needs behind a KV binding: the requests that it turns get, put and delete into. Keeps everything in
 * memory and forgets nothing; KV itself is tested under wrangler's harness.
 */
const values = new Map();

export default {
  async fetch(request) {
    const key = new URL(request.url).pathname;
    switch (request.method) {
      case "GET":
        return values.has(key) ? new Response(values.get(key)) : new Response(null, { status: 404 });
      case "PUT":
        values.set(key, await request.text());
        return new Response();
      case "DELETE":
        values.delete(key);
        return new Response();
      default:
        return new Response(null, { status: 405 });
    }
  },
};
