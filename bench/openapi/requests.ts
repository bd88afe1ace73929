import type { ComparedCalls } from "./call-cost.ts";

/** What both operations of the benchmark are called with. */
export const REFERENCE = { owner: "octocat", repo: "hello-world" };
export const READ = { ...REFERENCE, ref: "heads/main" };
export const WRITE = { ...REFERENCE, ref: "refs/heads/new", sha: "aa218f56b14c9653891f9e74264a383fa43fefbd" };

/** The API's answer to both: a Git reference. */
export const ANSWER = {
  ref: "refs/heads/main",
  node_id: "MDM6UmVmcmVmcy9oZWFkcy9mZWF0dXJlQQ==",
  url: "https://api.example/repos/octocat/hello-world/git/refs/heads/main",
  object: { type: "commit", sha: WRITE.sha, url: "https://api.example/repos/octocat/hello-world/git/commits/aa218f" },
};

/** The requests that the tools' calls become, sent with nothing in between. */
export function plainRequests(api: string): { readonly [name in keyof ComparedCalls]: () => Promise<string> } {
  const { owner, repo, ...body } = WRITE;
  const repository = `${api}/repos/${owner}/${repo}/git`;
  const accept = "application/json";
  const send = async (url: string, init: RequestInit) => (await fetch(url, init)).text();
  return {
    get: () => send(`${repository}/ref/${encodeURIComponent(READ.ref)}`, { headers: { accept } }),
    post: () =>
      send(`${repository}/refs`, {
        method: "POST",
        headers: { accept, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}
