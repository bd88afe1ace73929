import { type Html, html } from "../html.ts";
import { webApps } from "./en-web-apps.ts";

/** What a page of an error says. */
export interface ErrorText {
  readonly title: string;
  readonly message: string | Html;
  /** A further sentence: what to do. */
  readonly advice?: string;
}

const TELL = "If it stays so, tell whoever runs this service, with the request number below.";
const START_AGAIN = "Go back to the application and start again there.";
const TRY_ELSEWHERE = "Nothing was sent to the application. Go back to it and try again, or tell whoever runs it.";
const SUSPENDED = {
  message: "An administrator has suspended your access.",
  advice: "Ask an owner of your organization.",
};
const SIGN_IN_OVER = "This sign-in is over";
const CANNOT_BEGIN = "This sign-in cannot begin";
const NO_SIGN_OUT = { title: "You cannot be signed out like this", advice: "You are still signed in." };
const NOT_CONNECTED = "Nothing was connected";

/** All texts of the pages that people see, in English; `de.ts` has the same in German. Names that others chose come as HTML that is safe. */
export const en = {
  request: "Request",

  signIn: {
    title: "Sign in",
    where: "Where do you want to sign in?",
    why: (name: Html): Html => html`“${name}” wants to know who you are.`,
  },

  consent: {
    title: (name: string): string => `Allow “${name}”?`,
    heading: (name: Html): Html => html`Allow “${name}” to act for you?`,
    unchecked: (host: Html | undefined): Html =>
      html`This application registered itself, and nobody here has checked it${
        host === undefined ? "." : html`. It says that it comes from <strong>${host}</strong>.`
      } Go on only if you have just started to connect it.`,
    asks: "It asks to",
    /** What the scopes of OpenID Connect (Core 1.0 §5.4, §11) mean to a person. */
    scopes: {
      openid: "Know that it is you",
      profile: "See your name and other details of your profile",
      email: "See your e-mail address",
      offline_access: "Keep this access while you are away",
    } as Readonly<Record<string, string>>,
    otherScope: "Use the permission",
    noScope: "Act for you, without any further permission",
    where: "Where",
    usedAt: "For use at",
    sentBackTo: "You are sent back to",
    signedInAs: "You are signed in as",
    signInNext: "You sign in next.",
    allow: "Allow",
    deny: "Deny",
    onThisComputer: (host: string): string => `an application on this computer (${host})`,
    onThisDevice: (protocol: string): string => `an application on this device that opens ${protocol} links`,
  },

  cannotBegin: {
    title: CANNOT_BEGIN,
    /** @param description of the error that the client gets */
    impossible: (name: Html, description: string | undefined): Html =>
      html`“${name}” asked for something that is not possible${description === undefined ? "." : `: ${description}.`}`,
    stopped: (name: Html, description: string | undefined): Html =>
      html`“${name}” cannot act for you${description === undefined ? "." : `: ${description}.`}`,
    back: (host: Html): Html => html`Back to ${host}`,
    noClient: {
      title: CANNOT_BEGIN,
      message: "The request does not say which application it is from.",
      advice: TRY_ELSEWHERE,
    },
    badDescription: (host: string): ErrorText => ({
      title: CANNOT_BEGIN,
      message: `The application describes itself at ${host}, and no usable description came from there. The log of this service says why.`,
      advice: TRY_ELSEWHERE,
    }),
    unknownClient: {
      title: CANNOT_BEGIN,
      message:
        "The application is not known here. If it registered itself, its registration may be over: let it register again.",
      advice: TRY_ELSEWHERE,
    },
    otherRedirect: {
      title: CANNOT_BEGIN,
      message: "The address to send you back to is none of those that the application registered.",
      advice: TRY_ELSEWHERE,
    },
    noRedirect: {
      title: CANNOT_BEGIN,
      message: "The request does not say where to send you back to.",
      advice: TRY_ELSEWHERE,
    },
  },

  signOut: {
    ask: "Sign out?",
    confirm: "You will be signed out here, and at your identity provider where that is possible.",
    button: "Sign out",
    done: "You are signed out",
    stillAllowed:
      "Applications that you allowed to act for you can still do so until their access ends or is taken back.",
    doneHere: "You are signed out here",
    providers: "You may still be signed in at identity providers:",
    atProvider: (name: string): string => `Sign out at ${name}`,
    goOn: "Continue",
    noHint: { ...NO_SIGN_OUT, message: "The application did not show by a valid ID token who is to be signed out." },
    otherHint: { ...NO_SIGN_OUT, message: "The application showed an ID token of another one." },
    otherRedirect: {
      ...NO_SIGN_OUT,
      message: "The address to send you back to is none of those that the application registered.",
    },
  },

  errors: {
    over: {
      title: SIGN_IN_OVER,
      message: "It was finished before, took longer than ten minutes, or was begun anew in another tab.",
      advice: START_AGAIN,
    },
    attemptOver: {
      title: SIGN_IN_OVER,
      message: "It took longer than ten minutes, or its address is not complete.",
      advice: START_AGAIN,
    },
    clientGone: { title: SIGN_IN_OVER, message: "The application is not known here any more." },
    providerGone: { title: SIGN_IN_OVER, message: "The identity provider is not known here any more." },
    providersGone: {
      title: SIGN_IN_OVER,
      message: "No identity provider of the application is known here any more.",
      advice: START_AGAIN,
    },
    otherBrowser: {
      title: "This sign-in began in another browser",
      message: "Only the browser in which a sign-in began can finish it. Your browser may also be refusing cookies.",
      advice: START_AGAIN,
    },
    otherPerson: {
      title: "You are not signed in as before",
      message: "You signed out meanwhile, or signed in as somebody else.",
      advice: START_AGAIN,
    },
    unclear: { title: "That was not understood", message: "The page sent something else than it offers." },
    tooMany: {
      title: "Too many sign-ins",
      message: "More sign-ins began here than people begin.",
      advice: "Wait a minute, go back to the application, and try again.",
    },
    suspended: { title: "You cannot sign in", ...SUSPENDED },
    foreignForm: { title: "This form came from another site", message: "Only our own pages may send it." },
    noProvider: {
      title: "The identity provider does not answer",
      message: "Signing in is not possible for now.",
      advice: `Try again in a minute. ${TELL}`,
    },
    noConsole: {
      title: "The Console is not built",
      message: "This instance has no pages to show.",
      advice:
        "Whoever runs it builds them with “npm run build:console”. The management API works without them; on Workers, its OpenAPI document is one of them.",
    },
    /** @param message of the problem, in English */
    problem: (_code: string, message: string): ErrorText => ({ title: "That did not work", message }),
    /** @param description of the error that a client would get, in English */
    oauth: (description: string | undefined): ErrorText => ({
      title: "That did not work",
      message: description ?? "The request was not understood: it is malformed, or repeats a parameter.",
    }),
  },

  /** Why nobody is signed in who came back from an identity provider. */
  signInFailed: {
    answered: "The identity provider did not sign you in.",
    clocks:
      "What the identity provider sent is not valid at this time: its clock and ours differ by more than a minute, or the sign-in there is older than the application accepts.",
    invalid: "What the identity provider sent could not be verified.",
    unavailable: "You came back from the identity provider, but it could not be asked who you are.",
    title: "Signing in failed",
    unavailableTitle: "The identity provider does not answer",
    advice: `Go back to the application and try again. ${TELL}`,
  },

  connect: {
    title: (connector: string): string => `Connect ${connector}?`,
    heading: (connector: Html, app: Html): Html => html`Connect ${connector} to “${app}”?`,
    forPerson: (app: Html, connector: Html): Html =>
      html`You opened “${app}”, which works with your account at ${connector}. The application gets a token of it with your requests; your browser does not.`,
    cautionPerson: (app: Html): Html => html`Go on only if you opened “${app}” just now.`,
    usedFor: "What the account is used for",
    ownRequests: (app: Html): Html => html`Your own requests to “${app}”`,
    forAgent: (app: Html, connector: Html): Html =>
      html`An agent of yours wants to use “${app}”, which needs your account at ${connector}. The agent sees neither the account’s password nor its token.`,
    cautionAgent: "Go on only if an agent that you use gave you this link just now.",
    asker: "The agent that asks",
    whoUses: "Who may use the account for you",
    thisAgent: "This agent alone",
    everyAgent: (app: Html): Html => html`Every agent of yours that may call “${app}” here`,
    signInAt: (connector: Html): Html => html`You sign in to ${connector} at`,
    signedInAs: "You are signed in here as",
    asksFor: (connector: Html): Html => html`It asks ${connector} for`,
    noScope: "Whatever it gives to those who ask for nothing particular",
    goOn: "Go on",
    refuse: "Do not connect",
    another: "Another account?",
    anotherHeading: (connector: Html): Html => html`Another account at ${connector}?`,
    anotherWhy: (app: Html): Html =>
      html`So far “${app}” uses one account of yours, and you came back with another one.`,
    former: "In use until now",
    next: "You came back with",
    useNew: "Use the new one",
    keepFormer: "Keep the former one",
    done: (connector: string): string => `${connector} is connected`,
    doneHeading: (connector: Html, app: Html): Html => html`${connector} is connected to “${app}”`,
    account: "Account",
    missing: (connector: Html, scopes: Html): Html =>
      html`${connector} did not grant ${scopes}. Tools that need it will ask you again.`,
    agentGoesOn: "It goes on by itself, or asks again for what you wanted.",
    unchanged: "Nothing was changed",
    kept: (app: Html, former: Html): Html =>
      html`“${app}” uses ${former} as before. The account that you came back with was not kept.`,
    toApp: (app: Html): Html => html`Go on to “${app}”`,
    toAgent: "Go back to your agent.",
    closePage: "You can close this page.",
    startAgain: "Start again",
    notYours: "This link is not for you",
    notYoursWhy:
      "It connects an account of the person whose agent asked for it, and you are signed in as somebody else. Nothing was connected.",
    notYoursCaution:
      "Did somebody send you this link? Then they may want to use your account as theirs. Do not go on, and tell whoever runs this service, with the request number below.",
    notYoursAdvice: "If you use several accounts here, sign out and open the link again as the one who uses the agent.",
    suspended: { title: "You cannot connect an account", ...SUSPENDED },
    ended: (app: string): ErrorText => ({
      title: NOT_CONNECTED,
      message: `While you were at the provider, your access to “${app}” ended. What the provider gave is taken back there.`,
      advice: "Ask an owner of your organization.",
    }),
    providerRefused: (connector: string): ErrorText => ({
      title: `${connector} refused`,
      message: "Nothing was connected.",
      advice: `Start again. ${TELL}`,
    }),
    providerUnavailable: (connector: string): ErrorText => ({
      title: `${connector} does not answer`,
      message: "Nothing was connected: the provider cannot be asked for now.",
      advice: `Start again in a minute. ${TELL}`,
    }),
    providerTooLong: (connector: string): ErrorText => ({
      title: `The tokens of ${connector} are too long`,
      message: "Nothing was connected: the provider gave longer tokens than this service keeps.",
      advice: `Start again. ${TELL}`,
    }),
    refusedForAgent: (app: string): ErrorText => ({
      title: NOT_CONNECTED,
      message: `You did not allow it. What needs your account in “${app}” will not work for your agent.`,
      advice: "Go back to your agent, or start again if you want to connect it after all.",
    }),
    refusedForPerson: (app: string): ErrorText => ({
      title: NOT_CONNECTED,
      message: `You did not allow it. What needs your account in “${app}” will not work for you.`,
      advice: "Close this page, or start again if you want to connect it after all.",
    }),
    sessionEnded: {
      title: NOT_CONNECTED,
      message: "You signed out meanwhile, or your session ended.",
      advice: `Start again. ${TELL}`,
    },
    otherProvider: {
      title: NOT_CONNECTED,
      message: "The answer is not that of the provider that you were sent to.",
      advice: `Start again. ${TELL}`,
    },
    linkOver: {
      title: "This link is over",
      message:
        "It was used before, is older than ten minutes, or is not complete. If you have just connected your account, all is well.",
      advice: "Go back to your agent. If it still asks for the account, let it make another link.",
    },
    pageOver: {
      title: "This page is out of date",
      message:
        "It was used before, is older than ten minutes, or began in another browser or as somebody else. Nothing was connected by it.",
      advice: "Open the link that your agent gave you again, and use one tab.",
    },
    otherLink: { title: "This page is out of date", message: "It belongs to another link." },
    noSignIn: {
      title: "You cannot sign in here",
      message: "No identity provider of the agent's people is known here any more.",
      advice: "Tell whoever runs this service.",
    },
  },

  webApps,
};

/** What every language has to say: a text that is missing, or takes other names, does not compile. */
export type Messages = typeof en;
