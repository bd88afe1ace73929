import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import { NO_UPSTREAM, signAssertion, tokenEndpointOf, tokenParameters } from "../../behaviour/fixture.ts";
import type { Attack } from "../attack.ts";
import { whileFlooded } from "../flood.ts";
import { clientOf, tenants } from "../tenants.ts";
import { slowdown, victimLatency } from "../victim.ts";

/** Somebody else's token requests are refused without an end: the victim gets its tokens. */
export const refusedTokens: Attack = {
  name: "refused-tokens",
  checklist: 43,
  runtimes: ["node"],
  async play({ start, seconds }) {
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: NO_UPSTREAM } });
    const { attacker, victim } = await tenants(region);
    const [bad, good] = [await clientOf(attacker), await clientOf(victim)];
    const assertion = await signAssertion(bad, region, { claims: { aud: "https://elsewhere.example" } });
    const request = {
      method: "POST",
      url: tokenEndpointOf(region),
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(tokenParameters(assertion)).toString(),
    };
    await victimLatency(region, good, 1);
    const quiet = await victimLatency(region, good, seconds);
    const flood = { connections: 4, requests: [request] };
    const { measured } = await whileFlooded(flood, () => victimLatency(region, good, seconds));
    return slowdown("4 connections with refused token requests", quiet, measured);
  },
};
