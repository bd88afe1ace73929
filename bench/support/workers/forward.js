/** What a gateway on Workers does at least: each request goes on to the server behind it, and its answer back. */
export default {
  fetch: (request, { UPSTREAM }) => {
    const { pathname } = new URL(request.url);
    return pathname === "/status" ? new Response("up") : fetch(`${UPSTREAM}${pathname}`, request);
  },
};
