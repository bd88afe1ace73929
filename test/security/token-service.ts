import { afterAll, beforeAll, describe } from "vitest";
import { createSigner, setUpOwner, startRegions } from "../behaviour/fixture.ts";
import type { RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { audience } from "./01-audience.ts";
import { header } from "./02-header.ts";
import { subject } from "./03-subject.ts";
import { lifetime } from "./04-lifetime.ts";
import { replay } from "./05-replay.ts";
import { purpose } from "./06-purpose.ts";
import { revocation } from "./08-revocation.ts";
import { badRequests } from "./09-bad-requests.ts";
import { secrecy } from "./10-secrecy.ts";
import { introspectionCallers } from "./20-introspection.ts";
import type { SecurityContext } from "./context.ts";
import { everyRefusal } from "./refusals/every-row.ts";

/** The security checklist's items on the token service that every runtime must hold. The order matters for item 10. */
export function security(runtime: RuntimeUnderTest): void {
  describe("security of the token service", () => {
    let regions: RunningRegions;
    const context = {} as { -readonly [Name in keyof SecurityContext]: SecurityContext[Name] };

    beforeAll(async () => {
      regions = await startRegions(runtime);
      context.us = regions.us;
      context.uk = regions.uk;
      context.owner = await setUpOwner(regions.us);
      context.signer = await createSigner(context.owner, { scopes: ["audit:read"] });
    });
    afterAll(() => regions.stop());

    audience(context);
    header(context);
    subject(context);
    lifetime(context);
    replay(context);
    purpose(context);
    revocation(context);
    badRequests(context);
    introspectionCallers(context);
    everyRefusal(context);
    secrecy(context);
  });
}
