import { html } from "../html.ts";
import { webApps } from "./de-web-apps.ts";
import type { Messages } from "./en.ts";

const TELL = "Bleibt es so, wenden Sie sich mit der Anfragenummer unten an den Betreiber dieses Dienstes.";
const START_AGAIN = "Gehen Sie zur Anwendung zurück und beginnen Sie dort neu.";
const TRY_ELSEWHERE =
  "An die Anwendung wurde nichts gesendet. Gehen Sie zu ihr zurück und versuchen Sie es noch einmal, oder wenden Sie sich an ihren Betreiber.";
const ASK_OWNER = "Wenden Sie sich an einen Inhaber Ihrer Organisation.";
const SUSPENDED = { message: "Ein Administrator hat Ihren Zugriff gesperrt.", advice: ASK_OWNER };
const SIGN_IN_OVER = "Diese Anmeldung ist beendet";
const CANNOT_BEGIN = "Diese Anmeldung kann nicht beginnen";
const OTHER_REDIRECT = "Die Adresse für den Rückweg gehört nicht zu denen, die die Anwendung registriert hat.";
const NO_SIGN_OUT = { title: "So können Sie nicht abgemeldet werden", advice: "Sie sind weiterhin angemeldet." };
const NOT_CONNECTED = "Es wurde nichts verbunden";
const FAILED = "Das hat nicht funktioniert";

/** All texts of the pages that people see, in German. */
export const de: Messages = {
  request: "Anfrage",

  signIn: {
    title: "Anmelden",
    where: "Wo möchten Sie sich anmelden?",
    why: (name) => html`„${name}“ möchte wissen, wer Sie sind.`,
  },

  consent: {
    title: (name) => `„${name}“ zustimmen?`,
    heading: (name) => html`Darf „${name}“ für Sie handeln?`,
    unchecked: (host) =>
      html`Diese Anwendung hat sich selbst registriert, und niemand hat sie hier geprüft.${
        host === undefined ? undefined : html` Nach eigenen Angaben stammt sie von <strong>${host}</strong>.`
      } Stimmen Sie nur zu, wenn Sie gerade selbst begonnen haben, sie zu verbinden.`,
    asks: "Die Anwendung möchte",
    scopes: {
      openid: "Wissen, dass Sie es sind",
      profile: "Ihren Namen und weitere Angaben Ihres Profils sehen",
      email: "Ihre E-Mail-Adresse sehen",
      offline_access: "Den Zugriff behalten, während Sie abwesend sind",
    },
    otherScope: "Die Berechtigung nutzen:",
    noScope: "Für Sie handeln, ohne weitere Berechtigung",
    where: "Wo",
    usedAt: "Zur Verwendung bei",
    sentBackTo: "Sie werden zurückgeleitet zu",
    signedInAs: "Sie sind angemeldet als",
    signInNext: "Als Nächstes melden Sie sich an.",
    allow: "Zustimmen",
    deny: "Ablehnen",
    onThisComputer: (host) => `einer Anwendung auf diesem Computer (${host})`,
    onThisDevice: (protocol) => `einer Anwendung auf diesem Gerät, die Links mit ${protocol} öffnet`,
  },

  cannotBegin: {
    title: CANNOT_BEGIN,
    // What the client is told is for its developers, and English (RFC 6749 §4.1.2.1).
    impossible: (name, description) =>
      html`„${name}“ hat etwas verlangt, das nicht möglich ist.${
        description === undefined ? undefined : html` Hinweis für die Entwickler: <code lang="en">${description}</code>`
      }`,
    stopped: (name) =>
      html`„${name}“ darf nicht für Sie handeln: Die Organisation hat diesen Agenten oder den Zugriff für Sie angehalten.`,
    back: (host) => html`Zurück zu ${host}`,
    noClient: {
      title: CANNOT_BEGIN,
      message: "Aus der Anfrage geht nicht hervor, von welcher Anwendung sie stammt.",
      advice: TRY_ELSEWHERE,
    },
    badDescription: (host) => ({
      title: CANNOT_BEGIN,
      message: `Die Anwendung beschreibt sich selbst unter ${host}, und von dort kam keine brauchbare Beschreibung. Der Grund steht im Protokoll dieses Dienstes.`,
      advice: TRY_ELSEWHERE,
    }),
    unknownClient: {
      title: CANNOT_BEGIN,
      message:
        "Die Anwendung ist hier nicht bekannt. Hat sie sich selbst registriert, ist die Registrierung vielleicht abgelaufen: Lassen Sie sie sich neu registrieren.",
      advice: TRY_ELSEWHERE,
    },
    otherRedirect: { title: CANNOT_BEGIN, message: OTHER_REDIRECT, advice: TRY_ELSEWHERE },
    noRedirect: {
      title: CANNOT_BEGIN,
      message: "Aus der Anfrage geht nicht hervor, wohin Sie zurückgeleitet werden sollen.",
      advice: TRY_ELSEWHERE,
    },
  },

  signOut: {
    ask: "Abmelden?",
    confirm: "Sie werden hier abgemeldet und, wo das möglich ist, auch bei Ihrem Identitätsanbieter.",
    button: "Abmelden",
    done: "Sie sind abgemeldet",
    stillAllowed:
      "Anwendungen, die für Sie handeln dürfen, können das weiterhin, bis ihr Zugriff endet oder widerrufen wird.",
    doneHere: "Sie sind hier abgemeldet",
    providers: "Bei Identitätsanbietern sind Sie möglicherweise noch angemeldet:",
    atProvider: (name) => `Bei ${name} abmelden`,
    goOn: "Weiter",
    noHint: {
      ...NO_SIGN_OUT,
      message: "Die Anwendung hat nicht mit einem gültigen ID-Token gezeigt, wer abgemeldet werden soll.",
    },
    otherHint: { ...NO_SIGN_OUT, message: "Die Anwendung hat das ID-Token einer anderen Anwendung gezeigt." },
    otherRedirect: { ...NO_SIGN_OUT, message: OTHER_REDIRECT },
  },

  errors: {
    over: {
      title: SIGN_IN_OVER,
      message:
        "Sie wurde schon abgeschlossen, hat länger als zehn Minuten gedauert oder wurde in einem anderen Tab neu begonnen.",
      advice: START_AGAIN,
    },
    attemptOver: {
      title: SIGN_IN_OVER,
      message: "Sie hat länger als zehn Minuten gedauert, oder ihre Adresse ist unvollständig.",
      advice: START_AGAIN,
    },
    clientGone: { title: SIGN_IN_OVER, message: "Die Anwendung ist hier nicht mehr bekannt." },
    providerGone: { title: SIGN_IN_OVER, message: "Der Identitätsanbieter ist hier nicht mehr bekannt." },
    providersGone: {
      title: SIGN_IN_OVER,
      message: "Kein Identitätsanbieter der Anwendung ist hier noch bekannt.",
      advice: START_AGAIN,
    },
    otherBrowser: {
      title: "Diese Anmeldung hat in einem anderen Browser begonnen",
      message:
        "Eine Anmeldung kann nur der Browser abschließen, in dem sie begonnen hat. Vielleicht lehnt Ihr Browser auch Cookies ab.",
      advice: START_AGAIN,
    },
    otherPerson: {
      title: "Sie sind nicht mehr wie vorher angemeldet",
      message: "Sie haben sich inzwischen abgemeldet oder als jemand anderes angemeldet.",
      advice: START_AGAIN,
    },
    unclear: {
      title: "Das wurde nicht verstanden",
      message: "Die Seite hat etwas anderes gesendet, als sie zur Auswahl stellt.",
    },
    tooMany: {
      title: "Zu viele Anmeldungen",
      message: "Hier haben mehr Anmeldungen begonnen, als Menschen beginnen.",
      advice: "Warten Sie eine Minute, gehen Sie zur Anwendung zurück und versuchen Sie es noch einmal.",
    },
    suspended: { title: "Sie können sich nicht anmelden", ...SUSPENDED },
    foreignForm: {
      title: "Dieses Formular kam von einer anderen Website",
      message: "Nur unsere eigenen Seiten dürfen es senden.",
    },
    noProvider: {
      title: "Der Identitätsanbieter antwortet nicht",
      message: "Die Anmeldung ist zurzeit nicht möglich.",
      advice: `Versuchen Sie es in einer Minute noch einmal. ${TELL}`,
    },
    noConsole: {
      title: "Die Konsole ist nicht gebaut",
      message: "Diese Instanz hat keine Seiten, die sie zeigen kann.",
      advice:
        "Der Betreiber baut sie mit „npm run build:console“. Die Verwaltungs-API arbeitet auch ohne sie; auf Workers gehört ihr OpenAPI-Dokument dazu.",
    },
    problem: (code) => ({ title: FAILED, message: Object.hasOwn(PROBLEMS, code) ? (PROBLEMS[code] ?? OTHER) : OTHER }),
    oauth: (description) => ({
      title: FAILED,
      message:
        description === undefined
          ? "Die Anfrage wurde nicht verstanden: Sie ist fehlerhaft oder wiederholt einen Parameter."
          : html`Die Anfrage wurde nicht angenommen. Hinweis für die Entwickler: <code lang="en">${description}</code>`,
    }),
  },

  signInFailed: {
    answered: "Der Identitätsanbieter hat Sie nicht angemeldet.",
    clocks:
      "Was der Identitätsanbieter gesendet hat, gilt zu dieser Zeit nicht: Seine Uhr und unsere weichen um mehr als eine Minute voneinander ab, oder die Anmeldung dort ist älter, als die Anwendung zulässt.",
    invalid: "Was der Identitätsanbieter gesendet hat, ließ sich nicht überprüfen.",
    unavailable: "Sie sind vom Identitätsanbieter zurückgekommen, aber er konnte nicht gefragt werden, wer Sie sind.",
    title: "Die Anmeldung ist fehlgeschlagen",
    unavailableTitle: "Der Identitätsanbieter antwortet nicht",
    advice: `Gehen Sie zur Anwendung zurück und versuchen Sie es noch einmal. ${TELL}`,
  },

  connect: {
    title: (connector) => `${connector} verbinden?`,
    heading: (connector, app) => html`${connector} mit „${app}“ verbinden?`,
    forPerson: (app, connector) =>
      html`Sie haben „${app}“ geöffnet, das mit Ihrem Konto bei ${connector} arbeitet. Die Anwendung erhält mit Ihren Anfragen ein Token dafür, Ihr Browser nicht.`,
    cautionPerson: (app) => html`Fahren Sie nur fort, wenn Sie „${app}“ gerade selbst geöffnet haben.`,
    usedFor: "Wofür das Konto genutzt wird",
    ownRequests: (app) => html`Ihre eigenen Anfragen an „${app}“`,
    forAgent: (app, connector) =>
      html`Einer Ihrer Agenten möchte „${app}“ nutzen und braucht dafür Ihr Konto bei ${connector}. Der Agent sieht weder das Passwort noch das Token des Kontos.`,
    cautionAgent: "Fahren Sie nur fort, wenn Ihnen ein Agent, den Sie nutzen, diesen Link gerade gegeben hat.",
    asker: "Der Agent, der fragt",
    whoUses: "Wer das Konto für Sie nutzen darf",
    thisAgent: "Nur dieser Agent",
    everyAgent: (app) => html`Jeder Ihrer Agenten, der hier „${app}“ aufrufen darf`,
    signInAt: (connector) => html`Sie melden sich bei ${connector} an unter`,
    signedInAs: "Sie sind hier angemeldet als",
    asksFor: (connector) => html`Von ${connector} wird verlangt`,
    noScope: "Was man dort erhält, wenn man nichts Bestimmtes verlangt",
    goOn: "Weiter",
    refuse: "Nicht verbinden",
    another: "Ein anderes Konto?",
    anotherHeading: (connector) => html`Ein anderes Konto bei ${connector}?`,
    anotherWhy: (app) => html`Bisher nutzt „${app}“ eines Ihrer Konten, und Sie sind mit einem anderen zurückgekommen.`,
    former: "Bisher genutzt",
    next: "Zurückgekommen mit",
    useNew: "Das neue nutzen",
    keepFormer: "Das bisherige behalten",
    done: (connector) => `${connector} ist verbunden`,
    doneHeading: (connector, app) => html`${connector} ist mit „${app}“ verbunden`,
    account: "Konto",
    missing: (connector, scopes) =>
      html`${connector} hat ${scopes} nicht gewährt. Tools, die das brauchen, werden Sie noch einmal fragen.`,
    agentGoesOn: "Er macht von selbst weiter oder fragt noch einmal, was Sie wollten.",
    unchanged: "Es wurde nichts geändert",
    kept: (app, former) =>
      html`„${app}“ nutzt weiterhin ${former}. Das Konto, mit dem Sie zurückgekommen sind, wurde nicht behalten.`,
    toApp: (app) => html`Weiter zu „${app}“`,
    toAgent: "Gehen Sie zu Ihrem Agenten zurück.",
    closePage: "Sie können diese Seite schließen.",
    startAgain: "Neu beginnen",
    notYours: "Dieser Link ist nicht für Sie",
    notYoursWhy:
      "Er verbindet ein Konto der Person, deren Agent danach gefragt hat, und Sie sind als jemand anderes angemeldet. Es wurde nichts verbunden.",
    notYoursCaution:
      "Hat Ihnen jemand diesen Link geschickt? Dann möchte diese Person vielleicht Ihr Konto als ihres nutzen. Fahren Sie nicht fort und wenden Sie sich mit der Anfragenummer unten an den Betreiber dieses Dienstes.",
    notYoursAdvice:
      "Nutzen Sie hier mehrere Konten, dann melden Sie sich ab und öffnen Sie den Link noch einmal mit dem Konto, das den Agenten nutzt.",
    suspended: { title: "Sie können kein Konto verbinden", ...SUSPENDED },
    ended: (app) => ({
      title: NOT_CONNECTED,
      message: `Während Sie beim Anbieter waren, ist Ihr Zugriff auf „${app}“ beendet worden. Was der Anbieter gewährt hat, wird dort zurückgenommen.`,
      advice: ASK_OWNER,
    }),
    providerRefused: (connector) => ({
      title: `${connector} hat abgelehnt`,
      message: "Es wurde nichts verbunden.",
      advice: `Beginnen Sie neu. ${TELL}`,
    }),
    providerUnavailable: (connector) => ({
      title: `${connector} antwortet nicht`,
      message: "Es wurde nichts verbunden: Der Anbieter ist zurzeit nicht erreichbar.",
      advice: `Beginnen Sie in einer Minute neu. ${TELL}`,
    }),
    providerTooLong: (connector) => ({
      title: `Die Tokens von ${connector} sind zu lang`,
      message: "Es wurde nichts verbunden: Der Anbieter hat längere Tokens ausgestellt, als dieser Dienst aufbewahrt.",
      advice: `Beginnen Sie neu. ${TELL}`,
    }),
    refusedForAgent: (app) => ({
      title: NOT_CONNECTED,
      message: `Sie haben nicht zugestimmt. Was Ihr Konto in „${app}“ braucht, wird für Ihren Agenten nicht funktionieren.`,
      advice: "Gehen Sie zu Ihrem Agenten zurück, oder beginnen Sie neu, wenn Sie es doch verbinden möchten.",
    }),
    refusedForPerson: (app) => ({
      title: NOT_CONNECTED,
      message: `Sie haben nicht zugestimmt. Was Ihr Konto in „${app}“ braucht, wird für Sie nicht funktionieren.`,
      advice: "Schließen Sie diese Seite, oder beginnen Sie neu, wenn Sie es doch verbinden möchten.",
    }),
    sessionEnded: {
      title: NOT_CONNECTED,
      message: "Sie haben sich inzwischen abgemeldet, oder Ihre Sitzung ist abgelaufen.",
      advice: `Beginnen Sie neu. ${TELL}`,
    },
    otherProvider: {
      title: NOT_CONNECTED,
      message: "Die Antwort stammt nicht von dem Anbieter, zu dem Sie geleitet wurden.",
      advice: `Beginnen Sie neu. ${TELL}`,
    },
    linkOver: {
      title: "Dieser Link gilt nicht mehr",
      message:
        "Er wurde schon benutzt, ist älter als zehn Minuten oder unvollständig. Haben Sie Ihr Konto gerade verbunden, ist alles in Ordnung.",
      advice:
        "Gehen Sie zu Ihrem Agenten zurück. Fragt er weiter nach dem Konto, lassen Sie ihn einen neuen Link erstellen.",
    },
    pageOver: {
      title: "Diese Seite ist veraltet",
      message:
        "Sie wurde schon benutzt, ist älter als zehn Minuten oder wurde in einem anderen Browser oder von jemand anderem geöffnet. Durch sie wurde nichts verbunden.",
      advice: "Öffnen Sie den Link Ihres Agenten noch einmal, und benutzen Sie nur einen Tab.",
    },
    otherLink: { title: "Diese Seite ist veraltet", message: "Sie gehört zu einem anderen Link." },
    noSignIn: {
      title: "Sie können sich hier nicht anmelden",
      message: "Kein Identitätsanbieter für die Nutzer des Agenten ist hier noch bekannt.",
      advice: "Wenden Sie sich an den Betreiber dieses Dienstes.",
    },
  },

  webApps,
};

/** Those that a browser can cause, by their code. */
const PROBLEMS: Readonly<Record<string, string>> = {
  not_found: "Unter dieser Adresse gibt es nichts.",
  method_not_allowed: "Diese Adresse kann so nicht aufgerufen werden.",
  invalid_body: "Die Anfrage ist unvollständig oder fehlerhaft.",
  too_many_requests: "Das waren zu viele Anfragen. Versuchen Sie es gleich noch einmal.",
  unavailable: "Die Anfrage konnte zurzeit nicht bearbeitet werden. Versuchen Sie es noch einmal.",
};
const OTHER = "Die Anfrage konnte nicht bearbeitet werden.";
