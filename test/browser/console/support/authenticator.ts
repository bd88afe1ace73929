import type { CDPSession, Page } from "playwright-core";

/** A passkey as it is, with its private key. */
type Credential = Awaited<ReturnType<typeof credentialsOf>>[number];

/** What a device does about passkeys, without anybody touching it. */
export interface VirtualAuthenticator {
  /** The passkeys that it keeps. */
  credentials(): Promise<readonly Credential[]>;
  /** Puts a passkey of another one into this one. */
  add(credential: Credential): Promise<void>;
}

/** A platform authenticator in a page (WebDriver's virtual authenticators, WebAuthn Level 3 §11), which verifies its user. */
export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    credentials: () => credentialsOf(session, authenticatorId),
    add: async (credential) => {
      await session.send("WebAuthn.addCredential", { authenticatorId, credential });
    },
  };
}

async function credentialsOf(session: CDPSession, authenticatorId: string) {
  return (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
}
