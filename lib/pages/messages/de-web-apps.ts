import { html } from "../html.ts";
import type { webApps as english } from "./en-web-apps.ts";

/** What people read who use a web application behind us. */
export const webApps: typeof english = {
  circle: {
    title: "Die Anmeldung führt nicht weiter",
    what: "Sie wurden innerhalb einer Minute fünfmal zur Anmeldung geleitet, und noch ist niemand angemeldet.",
    advice:
      "Vielleicht lehnt Ihr Browser Cookies ab, oder die Anmeldung ist fehlgeschlagen. Warten Sie eine Minute und laden Sie diese Seite neu. Bleibt es so, wenden Sie sich mit der Anfragenummer unten an den Betreiber dieses Dienstes.",
  },
  form: {
    title: "Es wurde nichts gesendet",
    what: "Sie sind nicht mehr angemeldet. Ihre Eingaben wurden deshalb nicht an die Anwendung gesendet.",
    advice:
      "Melden Sie sich neu an; dafür öffnet sich ein neuer Tab. Kehren Sie dann in diesen Tab zurück, gehen Sie eine Seite zurück zu Ihrem Formular und senden Sie es noch einmal.",
    button: "Neu anmelden",
  },
  nobody: {
    title: "Hier kann sich niemand anmelden",
    message: "Diese Adresse ist für Programme, die ein Token senden.",
  },
  connect: {
    title: "Es wurde nichts ausgeführt",
    what: "Die Anwendung hat Ihre Eingaben nicht übernommen.",
    none: (connector) => `Die Anwendung arbeitet mit Ihrem Konto bei ${connector}, und es ist keines verbunden.`,
    reconnect: (connector) => `Ihr Konto bei ${connector} muss neu verbunden werden.`,
    scopes: (connector) => `Die Anwendung braucht mehr von Ihrem Konto bei ${connector}, als Sie bisher erlaubt haben.`,
    advice:
      "Verbinden Sie das Konto; dafür öffnet sich ein neuer Tab. Kehren Sie dann in diesen Tab zurück, gehen Sie eine Seite zurück zu Ihrem Formular und senden Sie es noch einmal.",
    button: "Konto verbinden",
  },
  signedOut: {
    title: "Sie sind abgemeldet",
    message: (app) => html`In diesem Browser ist niemand bei ${app} angemeldet.`,
  },
  signOut: { title: "Abmelden?", message: "Eine andere Website hat Sie hierher geleitet.", button: "Abmelden" },
  otherAccount: {
    signedInAs: (name) => html`Sie sind angemeldet als ${name}.`,
    advice:
      "Haben Sie ein anderes Konto, das diese Seite sehen darf, dann melden Sie sich damit an. Andernfalls bitten Sie den Betreiber dieser Anwendung um Zugriff und nennen Sie ihm die Anfragenummer unten.",
    button: "Mit einem anderen Konto anmelden",
  },

  refusals: {
    bad_request_target: "Adresse nicht angenommen",
    ambiguous_path: "Adresse nicht angenommen",
    bad_headers: "Header nicht angenommen",
    forbidden: "Kein Zugriff",
    not_found: "Nicht gefunden",
    body_too_large: "Zu viel auf einmal",
    target_too_long: "Adresse zu lang",
    upgrade_not_possible: "WebSockets sind hier nicht möglich",
    too_many_requests: "Zu viele Anfragen",
    not_carried: "Nicht weitergeleitet",
    bad_identity: "Mit diesem Konto nicht möglich",
    upstream_unreachable: "Die Anwendung antwortet nicht",
    upstream_malformed: "Die Anwendung hat fehlerhaft geantwortet",
    unavailable: "Zurzeit nicht verfügbar",
    not_recorded: "Zurzeit nicht verfügbar",
    upstream_timeout: "Die Anwendung ist zu langsam",
  },

  noPolicy: "Für diese Adresse hat die Anwendung keine Regel. Prüfen Sie die Adresse.",
  ambiguous:
    "Die Adresse lässt sich auf zwei Arten lesen, für die verschiedene Regeln gelten. Schreiben Sie sie ohne doppelte Kodierung, ohne Parameter (;) und ohne Punkte am Ende eines Abschnitts.",
  stopped: "Ein Administrator hat Ihren Zugriff gesperrt. Wenden Sie sich an einen Inhaber Ihrer Organisation.",
  notChecked: "Das Zugriffstoken konnte zurzeit nicht geprüft werden.",
  noPerson: "Die Anwendung arbeitet mit dem Konto einer Person, und Sie handeln für niemanden.",
  notRenewed: "Das Token Ihres Kontos kann zurzeit nicht erneuert werden. Versuchen Sie es später noch einmal.",
  connectTooOften:
    "Sie wurden in letzter Zeit mehrmals gebeten, Ihr Konto zu verbinden. Versuchen Sie es in einer Stunde noch einmal.",
  foreignSignOut: "Abmelden kann hier nur die Anwendung selbst. Sie sind weiterhin angemeldet.",
  foreignChange:
    "Eine Seite einer anderen Website wollte das mit Ihrem Konto ausführen. Beginnen Sie in der Anwendung selbst.",
  foreignSocket: "Seiten von dort dürfen keine WebSockets dieser Anwendung öffnen.",
  noOrigin: "Ohne Origin dürfen nur Programme mit einem Zugriffstoken WebSockets öffnen.",
  noHandshake: "Ein WebSocket wird mit einer GET-Anfrage ohne Inhalt geöffnet.",
  noSockets: "Hier kann kein WebSocket geöffnet werden.",
  controlCharacter: (header) =>
    `Der Anwendung kann nicht mitgeteilt werden, wer Sie sind: Der Header ${header} würde ein Steuerzeichen enthalten.`,
  noHeader: "Der Anwendung kann nicht mitgeteilt werden, wer Sie sind: Kein Header kann es aufnehmen.",
  connectionNamesOurs: "Der Header Connection nennt einen Header, den nur dieser Proxy setzt.",
  trace: "TRACE-Anfragen werden nicht weitergeleitet.",
  coding: "Eine andere Transferkodierung als chunked wird nicht weitergeleitet.",
  content: (method) =>
    `Eine ${method}-Anfrage mit Inhalt wird nicht weitergeleitet: Senden Sie sie mit einer anderen Methode.`,
  tooLarge: (bytes) => `Die Anwendung nimmt höchstens ${bytes} Bytes auf einmal an.`,
  timeout: "Die Anwendung hat nicht rechtzeitig geantwortet. Versuchen Sie es später noch einmal.",
  malformed: "Die Antwort der Anwendung kann nicht weitergegeben werden.",
  incomplete: "Die Anfrage endete vor ihrem Inhalt.",
  unreachable: "Die Anwendung ist nicht erreichbar. Versuchen Sie es später noch einmal.",
  notRecorded:
    "Die Anfrage konnte nicht aufgezeichnet werden und wurde nicht ausgeführt. Versuchen Sie es noch einmal.",
  denied: (code) => (code === "stopped" ? STOPPED : "Die Regeln dieser Anwendung lassen das nicht zu."),
  limited: (name, retryAfter) => {
    const again = retryAfter === undefined ? "" : ` Versuchen Sie es in ${retryAfter} s noch einmal.`;
    return name === "" ? `Das waren zu viele Anfragen.${again}` : `Das Limit „${name}“ lässt das nicht zu.${again}`;
  },
  fault: () => "Die Adresse enthält etwas, das nicht angenommen wird. Prüfen Sie, ob sie vollständig und richtig ist.",
};

const STOPPED = "Ein Administrator hat das angehalten. Versuchen Sie es erst wieder, wenn es fortgesetzt ist.";
