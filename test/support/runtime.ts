/** One region of the product, served on a real loopback port. */
export interface RunningRegion {
  readonly region: "us" | "uk";
  /** Public URL without trailing slash; also the issuer. */
  readonly url: string;
  /** Of the server, where it has a process of its own. */
  readonly pid?: number | undefined;
  /** What one request leaves in memory the next one finds. */
  readonly keepsMemory?: true;
  /** Every log line written so far, for scans. */
  logs(): readonly string[];
  /** All that its stores hold, for scans: the bytes of every file, or every item as text. Absent where nobody can look. */
  stored?(): Promise<Buffer>;
}

export interface RunningRegions {
  readonly us: RunningRegion;
  readonly uk: RunningRegion;
  stop(): Promise<void>;
}

export interface RegionsOptions {
  /**
   * YAML document, the same for both regions unless `ukConfiguration` is there. It may use `{{ env.PUBLIC_URL }}`, `{{ env.PEER_URL }}` (the other region's),
   * `{{ env.REGION }}` and what `variables` adds, and the secrets `<countersign.setup-token>`, `<countersign.id-secret>` and
   * `<countersign.key-secret>`, which every runtime provides from its environment.
   */
  readonly configuration: string;
  /** The document of the region `uk`, where it is another. */
  readonly ukConfiguration?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** The region `uk` is not started: the suite has nothing to do there. */
  readonly alone?: boolean;
  /** Folder with the Console that is deployed; without it which one there is is not said. */
  readonly consoleBuild?: string;
  /** In the place of `127.0.0.1` in the public URLs: passkeys need a name. */
  readonly host?: "localhost";
}

/** In the place of a region that was not started. */
export const NOT_STARTED: RunningRegion = {
  region: "uk",
  get url(): string {
    throw new Error("the region uk was not started: the suite asked for us alone");
  },
  logs: () => [],
};

/** The document of a region. */
export function documentOf(region: RunningRegion["region"], options: RegionsOptions): string {
  return region === "uk" ? (options.ukConfiguration ?? options.configuration) : options.configuration;
}

/** A runtime that behaviour suites run on. Each has one file in `test/runtimes/`. */
export interface RuntimeUnderTest {
  readonly name: "node" | "workerd" | "lambda";
  /** How many processes serve a region, each of which learns for itself what it could ask for again. 1 unless given. */
  readonly processes?: number;
  /** Starts both regions side by side with empty stores. */
  start(options: RegionsOptions): Promise<RunningRegions>;
}

/** The setup token that every runtime under test is started with. */
export const SETUP_TOKEN = "setup-token-for-tests";
/** Keys the client id check of the runtimes under test, base64url of 32 bytes. */
export const ID_SECRET = "dGVzdC1zZWNyZXQtZm9yLWNsaWVudC1pZHMtMzJieXQ";
/** Encrypts the signing keys of the runtimes under test, base64url of 32 bytes. */
export const KEY_SECRET = "dGVzdC1zZWNyZXQtZm9yLXNpZ25pbmcta2V5cy0zMmI";
