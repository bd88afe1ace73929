import { lazy } from "../kernel/lazy.ts";

/**
 * Words that people ask with, and those that documents have for the same. Forms of a word do not matter, on neither side.
 * What is here is common speech and the field's own; names of products are not, but for what alerts are commonly called by.
 */
export const synonyms = lazy(
  (): ReadonlyMap<string, readonly string[]> =>
    new Map(
      entriesOf(`
  abort: cancel stop terminate; absence: vacation holiday leave; abuse: block report; accept: approve allow;
  access: permission collaborator collaboration; account: user profile; acknowledge: confirm accept update;
  activate: enable; add: create insert assign put; address: url location; admin: administrator owner;
  alarm: alert notification; alert: notification alarm policy; allow: permit grant add allowed trusted;
  aloud: speech voice audio; announce: publish release; answer: reply response comment;
  anybody: user member person; anyone: public member user; apply: set add;
  appointment: meeting event calendar booking; approval: review; approve: review accept submit;
  archive: zip tarball; arrange: reorder move order; article: page post document; ask: request create invite;
  assign: add; assignee: user assign owner; attach: upload add assign action; attendee: guest participant;
  audience: viewer; audio: speech sound transcription; author: user creator owner; automation: workflow rule;
  away: presence; back: restore; backlog: issue; backup: snapshot copy; balance: credit; ban: block;
  bank: account; begin: start create; between: compare diff; bill: invoice billing;
  block: ban restrict dependency; board: dashboard; book: booking reservation create; booking: reservation;
  boot: start power; branch: reference ref; bring: restore; broadcast: announcement notification;
  bucket: container space storage; budget: limit spend; bug: issue; build: workflow run job;
  buy: purchase order create pay; cache: purge cached; calendar: event schedule; call: request rate;
  callback: webhook; campaign: newsletter; cancel: stop abort delete; card: payment; cart: basket order;
  catalog: list product; catalogue: list product; category: tag type label; certificate: ssl tls;
  change: update edit modify set compare; channel: conversation room; charge: payment invoice cost;
  chart: graph dashboard report; chat: message conversation; check: get validate status verify health;
  child: parent sub; ci: workflow action job; clean: purge delete; clear: purge delete remove;
  client: customer user; close: transition update status state resolve complete; cloud: hosting; cluster: node;
  colleague: user member collaborator; column: section status field; combine: merge; comment: note message;
  company: organization account; complete: finish close commit; confirm: verify accept approve;
  connect: attach link integration access; consumption: usage; contact: phone email address; contain: search;
  container: image; conversation: thread chat channel; copy: fork clone duplicate;
  cost: usage billing spend price; count: usage; country: region; coupon: discount; coworker: user member;
  crash: log error failure event issue; create: new add; credential: secret key token; credit: balance;
  cron: schedule; currency: price; customer: user client contact; daily: recurring schedule;
  danger: vulnerability alert; dataset: data table; deactivate: disable; deadline: due; deal: opportunity;
  debt: balance receivable; decline: reject; decrease: resize update; decrypt: key; define: create set;
  delete: remove destroy; delivery: shipment; demote: role update; deny: reject decline;
  depend: dependency block; dependency: depend block; deploy: deployment release create;
  detach: remove unassign action; device: session; dial: call; did: activity event log audit;
  differ: compare diff; difference: compare diff; directory: folder; disable: deactivate;
  discard: delete remove; discount: coupon; disk: volume storage; dismiss: close delete remove;
  dispatch: run trigger; dispute: chargeback; dns: domain record; document: file; domain: dns;
  done: complete close status; download: get export content; downtime: maintenance outage status;
  draft: unpublished; drop: delete remove; due: deadline; duplicate: copy clone; duty: schedule;
  edit: update modify change; email: mail message notification; emoji: reaction; employee: user member;
  enable: activate; encrypt: key; end: stop close; enrol: register add; enroll: register add; enter: add;
  environment: workspace stage; epic: issue; erase: delete remove; error: log failure issue event;
  escalate: escalation; estimate: point; event: activity log webhook calendar; everybody: member user;
  everyone: public member user; everywhere: all session; execute: run; exit: leave; expand: resize extend;
  expense: cost usage; expire: expiration; export: download; extend: renew update; fail: error failure;
  failure: error; favorite: star favourite; favourite: star favorite; feedback: comment review;
  fetch: get download; file: document content; find: search list; finish: complete close; firewall: rule;
  fix: resolve update; folder: directory; follow: watch subscribe watcher follower; follower: watcher;
  forget: delete remove; form: template; forward: redirect transfer; found: list alert detect;
  freeze: lock hold suspend; friend: user follower; gadget: widget; gallery: image; generate: create;
  give: grant add assign; goods: item product; grant: add assign; graph: chart; group: team;
  grow: resize scale increase; guest: user invite collaborator; hand: assign transfer; handoff: transfer;
  harmful: moderation; health: status check ping; hire: user create; history: list log;
  hold: retention pause queue; hole: vulnerability alert advisory; holiday: absence leave vacation;
  hook: webhook; host: server domain; hour: time; https: certificate; icon: avatar image; image: picture photo;
  import: upload create; inbox: message notification; incident: alert issue problem; income: revenue profit;
  increase: update resize scale; inform: notify notification; insert: create add; inside: content item;
  install: create add; instance: machine server; instruct: prompt; interrupt: cancel stop pause;
  inventory: stock; invitation: invite; invite: add invitation; invoice: bill billing; ip: address;
  issue: ticket; item: content; job: task run build; join: membership member add merge;
  keep: retention store save; key: credential token; kick: remove delete; kill: cancel stop delete; kind: type;
  label: tag; language: locale; late: overdue; lately: recent latest; launch: start run dispatch create;
  lead: contact opportunity; leak: secret; leave: remove membership; left: remaining limit;
  letter: message mail; like: reaction favorite similar related; link: url connect;
  listener: webhook subscription; load: upload get; location: address region place; lock: protect restrict;
  log: audit event record; logged: authenticated audit; login: authenticated; logo: avatar image;
  look: get search; loud: speech; louder: volume; mail: email notification message; mailbox: inbox folder;
  maintain: manage; make: create generate; manager: administrator owner; many: batch bulk count list;
  mark: set update label; markdown: render; meeting: event calendar appointment; member: user membership;
  mention: comment; merge: combine; message: text chat comment; metric: usage statistics monitor;
  milestone: version release; mirror: copy replica; moderate: review; modify: update;
  money: cost billing spend payment; monitor: alert check metric uptime; monthly: recurring repeat;
  move: transfer; much: usage count; music: track song; mute: silence update notification; name: title summary;
  namespace: workspace; nest: parent; network: vpc subnet; newsletter: campaign mailing; next: skip;
  nightly: schedule; node: server machine; note: comment; notification: alert message;
  notify: notification webhook alert subscription; offer: quote; office: address; offline: disable;
  oncall: schedule; online: deploy publish; opportunity: deal; order: purchase; org: organization;
  organisation: organization; outage: status incident downtime; overnight: batch;
  overview: list dashboard summary; owe: balance receivable debt; own: owner;
  owner: user administrator ownership; page: document; parcel: shipment; parent: child;
  part: parent child component; participant: attendee member; partner: collaborator;
  password: credential reset authentication; patch: update; pause: suspend stop; pay: payment;
  payment: pay charge; payout: transfer payment; people: user member person; permission: access;
  person: user member collaborator people; phone: call number contact; photo: image; picture: image; pin: star;
  ping: health test; pipeline: workflow build; place: location; plan: schedule create subscription;
  planned: schedule maintenance; play: start playback resume; pod: container; point: record assign set route;
  poll: vote; port: rule; post: create; power: start action; pr: pull request; presence: status away;
  prevent: block protect; preview: thumbnail; price: cost billing; print: render; prioritize: priority;
  privilege: permission role; problem: issue error; product: item; profile: user account; profit: income loss;
  prohibit: block restrict; project: workspace; promote: role update publish; property: attribute field;
  provision: create; proxy: gateway; publish: create release; purchase: buy order; push: deploy; put: add set;
  query: search; question: completion response prompt answer; questionnaire: survey form;
  quota: limit rate usage; quote: offer estimate; raise: update increase; rank: reorder priority;
  reach: contact; react: reaction; read: get content; reader: user; reboot: restart action;
  receipt: invoice payment; recent: latest; recipient: contact subscriber; record: log recording entry row;
  recording: audio replay; recover: restore; recurring: repeat schedule; redeploy: deployment;
  redo: retry rerun restore; reduce: resize update; refresh: update sync; refund: payment return;
  regenerate: rotate reset; region: location center; register: create; reject: decline deny;
  related: similar relate; release: version publish; remark: comment note; reminder: notification schedule;
  remove: delete unassign detach; rename: update; renew: refresh extend regenerate;
  reopen: transition status state open update; reorder: order move; repair: fix update; repeat: recurring;
  replace: update; replay: recording session; reply: comment create; repo: repository;
  report: issue list summary; request: create ask; reservation: booking; reserve: booking reservation create;
  reset: clear update; resize: scale size update; resolve: close transition update; responder: user;
  response: answer reply; restart: reboot rerun retry action; restore: recover undelete revert;
  restrict: block limit protect; result: output; resume: restart start; retain: retention keep; retrieve: get;
  retry: rerun; return: restore; revenue: income sale; revert: rollback restore; review: approve comment;
  revision: version history; revoke: delete remove token; rid: delete remove; right: permission role;
  ring: call; role: permission; rollback: revert restore; room: conference channel space;
  rotate: regenerate reset renew; route: rule forward; row: record entry; rule: policy;
  run: start dispatch trigger; sale: order; save: create update set; scale: resize autoscale size; scan: check;
  schedule: create plan; seat: booking; secret: credential key password; security: vulnerability protection;
  see: get list; sell: order; send: create; server: machine instance host node; session: login;
  set: update change configure put; setting: configuration preference; settings: configuration preference;
  share: collaboration collaborator permission invite access link shared create; shift: schedule rotation;
  ship: deploy release deliver shipment; shipment: delivery order; shop: store; show: get list;
  shrink: resize scale; shutdown: stop power action; sign: login authenticate;
  silence: mute notification snooze; similar: relate related; site: page website domain; sms: message;
  snapshot: backup; snippet: gist content; snooze: mute pause; somebody: user member person;
  someone: user member person; song: track; sort: order; sound: audio; speak: speech audio; speed: performance;
  spend: cost usage billing; spent: cost usage billing time tracking worklog; sprint: iteration milestone;
  ssl: certificate; staff: user member; stakeholder: subscriber; start: create run begin dispatch;
  state: status; statistics: usage metric count; stats: usage metric statistics; status: state;
  stock: inventory; stop: cancel; storage: volume; store: save upload;
  subscribe: follow watch notification webhook; subscriber: subscription watcher stakeholder;
  subscription: plan; subtract: remove; summary: overview; supplier: vendor contact;
  survey: form poll questionnaire; suspend: disable pause; swap: exchange replace override;
  switch: update change; sync: update refresh; table: database; tag: label; talk: chat; task: job issue;
  tax: vat; team: group; teammate: user member collaborator; tell: notify notification;
  terminate: cancel stop end delete; test: validate check; text: prompt message content; thread: conversation;
  throttle: limit; throw: remove delete; ticket: issue; time: duration timesheet; timeline: event history;
  timer: schedule; timesheet: time tracking; timezone: locale; title: name summary; tls: certificate;
  topic: tag; track: watch log monitor song; traffic: bandwidth view; train: tune; transaction: payment charge;
  transcribe: transcription text; transition: status; translate: translation; trial: subscription;
  trigger: dispatch run start create; try: retry run; turn: convert transform; undelete: restore;
  undo: revert cancel restore remove dismiss; uninstall: remove delete; unlock: lock; unmute: update;
  unsubscribe: subscription remove; untag: label remove; update: edit change; upgrade: update version;
  upload: create add import; uptime: health check monitor; url: link address webhook; usage: metric statistics;
  user: member account person; variable: setting environment; vector: embedding; vendor: supplier;
  verify: check validate confirm; version: release revision upgrade; video: movie; view: get list show;
  virtual: machine; visit: view; visitor: view; vm: machine instance server; voice: speech audio; vote: poll;
  voucher: coupon; vulnerability: alert advisory dependabot; vulnerable: alert advisory vulnerability;
  wait: queue pending depend; wallet: balance payment; warehouse: location inventory; warn: alert notification;
  warning: alert; watch: subscribe watcher follow notification; watcher: follower subscriber; webhook: hook;
  website: site page domain; what: list get; whenever: webhook event trigger; where: list get; which: list get;
  who: list user member; whoami: authenticated user; widget: gadget dashboard; wipe: delete remove;
  withdraw: cancel delete; word: text; worker: node runner; worklog: time log; workspace: project;
  write: create update; written: text transcript
`).map(([word, others]) => [word, others.split(" ")]),
    ),
);

/**
 * Words that mean something else together than alone, in small letters, with a word for it. The first that fits is taken.
 */
export const phrases = lazy((): readonly Phrase[] =>
  entriesOf(`
  as done: complete; as finished: complete; back up: backup; boot up: start; bring back: restore; check in: checkin; check out: checkout;
  cut off: disconnect; every day: daily; every month: recurring; every week: recurring; data center: region; data centers: regions; feature request: issue;
  feature requests: issues; fill in: update; fire off: start; follow up: reply; get rid of: remove;
  go back to: rollback; hand over: transfer; hang up: terminate; kick off: start; kick out: remove; let me know: notify; log in: login;
  log off: logout; log out: logout; look for: search; look up: get; open a: create a; open an: create an;
  open new: create new; pr: pull request; prs: pull requests; put back: restore; roll back: rollback;
  set off: start; set up: create; shut down: shutdown; sign in: login; sign off: approve; sign out: logout;
  sign up: register; spin up: create; start over: restart; start up: start; switch off: disable;
  switch on: enable; take away: remove; take down: delete; take off: remove; tell me: notify; tear down: destroy;
  throw away: remove; throw out: remove; turn off: disable; turn on: enable; virtual machine: server;
  virtual machines: servers; who am i: get authenticated user
`),
);

export type Phrase = readonly [phrase: string, word: string];

function entriesOf(text: string): readonly (readonly [string, string])[] {
  return text.split(/[;\n]/).flatMap((entry) => {
    const [word = "", meaning = ""] = entry.split(": ").map((part) => part.trim());
    return word === "" ? [] : [[word, meaning] as const];
  });
}
