/** What workerd can do at most: an answer that says as much as a token response and needs nothing. */
export default {
  fetch: () =>
    Response.json({ status: "up", padding: "as long as the answer to a token request, more or less".repeat(2) }),
};
