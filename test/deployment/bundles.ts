import { type CryptoKey, calculateJwkThumbprint, exportJWK, exportPKCS8, exportSPKI, generateKeyPair } from "jose";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { compileConfiguration } from "../../lib/config/compile.ts";
import {
  type Publication,
  type PublisherKeys,
  publicationOf,
  readPublisherKeys,
  signBundle,
} from "../../lib/deployment/bundle.ts";

/** Whoever publishes. */
export interface Publisher {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly privatePem: string;
  readonly publicPem: string;
  /** As an instance knows it. */
  readonly keys: PublisherKeys;
  /** The bytes of a bundle with this artifact. */
  bundle(artifact: ConfigurationArtifact, about?: Partial<Publication>): Promise<Uint8Array<ArrayBuffer>>;
}

export async function publisher(): Promise<Publisher> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey));
  const publicPem = await exportSPKI(publicKey);
  return {
    kid,
    privateKey,
    publicPem,
    privatePem: await exportPKCS8(privateKey),
    keys: await readPublisherKeys(publicPem),
    bundle: async (artifact, about = {}) => {
      const publication = { ...(await publicationOf(artifact, ABOUT)), ...about };
      return new TextEncoder().encode(await signBundle(publication, privateKey, kid));
    },
  };
}

export const ABOUT: Omit<Publication, "artifact" | "digest"> = {
  deployment: "production",
  revision: 1,
  publishedAt: "2026-11-01T12:00:00Z",
  publishedBy: "ci",
};

/** The artifact of a YAML text. */
export async function artifactFrom(yaml: string): Promise<ConfigurationArtifact> {
  const compiled = await compileConfiguration(yaml, {
    file: "gateway.yaml",
    readDocument: () => Promise.reject(new Error("there are no documents")),
  });
  if ("errors" in compiled) throw new Error(JSON.stringify(compiled.errors));
  return compiled.artifact;
}

/** A small configuration whose version tells it from others. */
export function versioned(version: string, more = ""): Promise<ConfigurationArtifact> {
  return artifactFrom(`version: "${version}"\nstore: {path: ./data}\n${more}`);
}
