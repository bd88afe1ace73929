import * as z from "zod";
import { about } from "#about";
import { described, section } from "./section.ts";
import { list, secret, text, timerInterval, url } from "./types.ts";

const DELIVERY = "push or poll";
const TOKEN = "a token without spaces (RFC 6750 section 2.1)";

const signal = section({
  connector: described(
    text(),
    about(
      "The connector of type `oidc` whose people the events are about. With `delivery: push`, the transmitter posts to `/signals/NAME` with the connector's name.",
      "corporate",
    ),
  ),
  delivery: described(
    z.enum(["push", "poll"], { error: DELIVERY }).default("push"),
    about("How events come: the transmitter posts them here (RFC 8935), or they are fetched there (RFC 8936)."),
  ),
  issuer: described(
    url().optional(),
    about("Issuer of the events, if it is not that of the connector.", "https://ssf.example.com"),
  ),
  jwksURL: described(
    url().optional(),
    about(
      "URL of the keys that the events are signed with. By default those of the connector.",
      "https://ssf.example.com/jwks.json",
    ),
  ),
  audience: described(
    list(text()).min(1, { error: "at least one audience" }).optional(),
    about(
      "Accepted `aud` of the events. By default the connector's client ID, and with `push` the URL that they are posted to.",
      ["https://gateway.example.com/signals/corporate"],
    ),
  ),
  token: described(
    secret(text(TOKEN).regex(/^[\x21-\x7e]+$/, { error: TOKEN })).optional(),
    about(
      "Bearer token: with `push` one that the transmitter must present, with `poll` the one to present there. Required with `poll`.",
      "<corporate.signals-token>",
    ),
  ),
  pollURL: described(
    url().optional(),
    about("URL at which events are fetched. Required with `poll`.", "https://ssf.example.com/events/1"),
  ),
  pollInterval: described(
    timerInterval().prefault("30s"),
    about("How often events are fetched with `poll`. On Workers and Lambda, once a minute at most."),
  ),
});

/** `signals[]`: whose security events are believed. What the keys need of each other stands in `rules/signals.ts`. */
export const signals = described(
  list(signal).default([]),
  about(
    "Security events of identity providers (OpenID Shared Signals Framework 1.0, CAEP, RISC) that end sessions and stop people.",
  ),
);
