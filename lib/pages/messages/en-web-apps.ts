import { type Html, html } from "../html.ts";

/** What people read who use a web application behind us; also what programs are told, in English alone. */
export const webApps = {
  circle: {
    title: "Signing in does not lead anywhere",
    what: "You were sent to sign in five times within a minute, and nobody is signed in yet.",
    advice:
      "Your browser may be refusing cookies, or the sign-in failed. Wait a minute, then load this page again. If it stays so, tell whoever runs this service, with the request number below.",
  },
  form: {
    title: "Nothing was sent",
    what: "You are not signed in any more, so what you entered was not sent to the application.",
    advice:
      "Sign in again, which opens a new tab. Then come back to this tab, go back one page to your form, and send it again.",
    button: "Sign in again",
  },
  nobody: { title: "Nobody can sign in here", message: "This address is for programs that send a token." },
  connect: {
    title: "Nothing was done",
    what: "The application did not take what you entered.",
    none: (connector: string): string => `It works with your account at ${connector}, and none is connected.`,
    reconnect: (connector: string): string => `Your account at ${connector} has to be connected again.`,
    scopes: (connector: string): string =>
      `It needs more of your account at ${connector} than you have allowed so far.`,
    advice:
      "Connect it, which opens a new tab. Then come back to this tab, go back one page to your form, and send it again.",
    button: "Connect the account",
  },
  signedOut: {
    title: "You are signed out",
    message: (app: Html): Html => html`Nobody is signed in to ${app} in this browser.`,
  },
  signOut: { title: "Sign out?", message: "Another site led you here.", button: "Sign out" },
  otherAccount: {
    signedInAs: (name: Html): Html => html`You are signed in as ${name}.`,
    advice:
      "If you have another account that may see this page, sign in with it. If not, ask whoever runs this application for access, and tell them the request number below.",
    button: "Sign in with another account",
  },

  /** Titles of refusals by their code. */
  refusals: {
    bad_request_target: "Address not accepted",
    ambiguous_path: "Address not accepted",
    bad_headers: "Headers not accepted",
    forbidden: "Not allowed",
    not_found: "Not found",
    body_too_large: "Body too large",
    target_too_long: "Address too long",
    upgrade_not_possible: "WebSockets are not possible here",
    too_many_requests: "Too many requests",
    not_carried: "Not carried",
    bad_identity: "Not possible for this account",
    upstream_unreachable: "The application does not answer",
    upstream_malformed: "The application answered badly",
    unavailable: "Not available for now",
    not_recorded: "Not available for now",
    upstream_timeout: "The application is too slow",
  },

  noPolicy: "No policy of this application is about this address. Check the address.",
  ambiguous:
    "The address can be read in two ways, and different rules hold for them. Write it without double encoding, parameters (;), and dots at the end of a segment.",
  stopped: "An administrator has suspended your access. Ask an owner of your organization.",
  notChecked: "The access token could not be checked for now.",
  noPerson: "The application works with the account of a person, and you act for nobody.",
  notRenewed: "The token of your account cannot be renewed for now. Try again later.",
  connectTooOften: "You were asked to connect your account several times lately. Try again in an hour.",
  foreignSignOut: "Only the application itself signs people out here. You are still signed in.",
  foreignChange: "A page of another site asked for this with your account. Start from the application itself.",
  foreignSocket: "Pages of this origin may not open WebSockets of this application.",
  noOrigin: "Without Origin, only programs with an access token may open WebSockets.",
  noHandshake: "A WebSocket is asked for by a GET request without content.",
  noSockets: "No WebSocket can be opened here.",
  controlCharacter: (header: string): string =>
    `What is known of you cannot be told to the application: the header ${header} would contain a control character.`,
  noHeader: "What is known of you cannot be told to the application: no header can hold it.",
  connectionNamesOurs: "The Connection header names a header that only this proxy sets.",
  trace: "TRACE requests are not carried.",
  coding: "No other transfer coding than chunked is carried.",
  content: (method: string): string => `A ${method} request with content is not carried: send it with another method.`,
  tooLarge: (bytes: number): string => `The application takes bodies of at most ${bytes} bytes.`,
  timeout: "The application did not answer in time. Try again later.",
  malformed: "The application's answer cannot be passed on.",
  incomplete: "The request ended before its body did.",
  unreachable: "The application cannot be reached. Try again later.",
  notRecorded: "The request could not be recorded and was not made. Try again.",
  /** @param message of the decision, in English */
  denied: (_code: string, message: string): string => message,
  /**
   * @param name of the limit; empty: it has none
   * @param retryAfter seconds; undefined: trying again does not help
   * @param message of the limit, in English
   */
  limited: (_name: string, _retryAfter: number | undefined, message: string): string => message,
  /** @param sentence about the target of the request, in English */
  fault: (sentence: string): string => sentence,
};
