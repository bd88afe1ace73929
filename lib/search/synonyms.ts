/**
 * Words that people ask with, and those that documents have for the same. Forms of a word do not matter, on neither side.
 * What is here is common speech and the field's own; names of products are not, but for what alerts are commonly called by.
 */
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  entriesOf(`
  abort: cancel stop terminate; abuse: block report; accept: approve allow;
  access: permission collaborator collaboration; account: user profile; activate: enable;
  add: create insert assign put; address: url location; admin: administrator owner; alarm: alert notification;
  alert: notification alarm policy; allow: permit grant add allowed trusted; aloud: speech voice audio;
  answer: reply response comment; anyone: public member user; apply: set add; approval: review;
  approve: review accept submit; archive: zip tarball; arrange: reorder move order;
  article: page post document; ask: request create invite; assign: add attach; assignee: user assign;
  attach: upload add assign action; audience: viewer; audio: speech sound transcription;
  author: user creator owner; automation: workflow rule; back: restore; backup: snapshot copy; balance: credit;
  ban: block; begin: start create; between: compare diff; bill: invoice billing; block: ban restrict;
  board: dashboard; book: booking reservation create; booking: reservation; boot: start power;
  branch: reference ref; bring: restore; broadcast: announcement notification; bucket: container space storage;
  budget: limit spend; bug: issue; build: workflow run job; buy: purchase order create pay;
  cache: purge cached; call: request rate; callback: webhook; cancel: stop abort delete; cart: basket order;
  catalog: list product; catalogue: list product; category: tag type label; certificate: ssl tls;
  change: update edit modify set compare; charge: payment invoice cost; chat: message conversation;
  check: get validate status verify health; ci: workflow action job; clean: purge delete;
  clear: purge delete remove; client: customer user; close: transition update status state resolve complete;
  cloud: hosting; cluster: node; colleague: user member collaborator; comment: note message;
  company: organization; complete: finish close commit; confirm: verify accept approve;
  connect: attach link integration access; consumption: usage; contain: search; container: image;
  conversation: thread chat; copy: fork clone duplicate; cost: usage billing spend price; count: usage;
  country: region; coupon: discount; coworker: user member; crash: log error failure event; create: new add;
  credential: secret key token; credit: balance; cron: schedule; currency: price;
  customer: user client contact; danger: vulnerability alert; deactivate: disable; decline: reject;
  decrypt: key; define: create set; delete: remove destroy; delivery: shipment; demote: role update;
  deny: reject decline; decrease: resize update; deploy: deployment release create; detach: remove unassign action; device: session;
  dial: call; did: activity event log audit; differ: compare diff; difference: compare diff; directory: folder;
  disable: deactivate; discard: delete remove; discount: coupon; disk: volume storage;
  dismiss: close delete remove; dispatch: run trigger; dns: domain record; document: file; domain: dns;
  download: get export content; draft: unpublished; drop: delete remove; duplicate: copy clone;
  edit: update modify change; email: mail message notification; emoji: reaction; employee: user member;
  enable: activate; encrypt: key; end: stop close; enrol: register add; enroll: register add; enter: add;
  environment: workspace stage; erase: delete remove; error: log failure; event: activity log webhook;
  everybody: member user; everyone: public member user; execute: run; exit: leave; expand: resize extend; expense: cost usage; expire: expiration; export: download;
  extend: renew update; fail: error failure; failure: error; favorite: star favourite;
  favourite: star favorite; feedback: comment review; fetch: get download; file: document content;
  find: search list; finish: complete close; firewall: rule; fix: resolve update; folder: directory;
  follow: watch subscribe watcher follower; forget: delete remove; form: template; forward: redirect transfer;
  found: list alert detect; freeze: lock hold suspend; friend: user follower; gallery: image; generate: create; give: grant add assign;
  grant: add assign; group: team; grow: resize scale increase; guest: user invite collaborator; hand: assign transfer; handoff: transfer;
  harmful: moderation; health: status check; hire: user create; history: list log; hold: retention pause queue;
  hole: vulnerability alert advisory; hook: webhook; host: server domain; https: certificate;
  icon: avatar image; image: picture photo; import: upload create; inbox: message notification;
  increase: update resize scale; inform: notify notification; insert: create add; inside: content item;
  install: create add; instance: machine server; instruct: prompt; interrupt: cancel stop pause;
  invitation: invite; invite: add invitation; invoice: bill billing; ip: address; issue: ticket; item: content;
  job: task run; join: membership member add; keep: retention store save; key: credential token;
  kick: remove delete; kill: cancel stop delete; kind: type; label: tag; language: locale; late: overdue;
  launch: start run dispatch create; leak: secret; leave: remove membership; left: remaining limit;
  letter: message mail; like: reaction favorite; link: url connect; listener: webhook subscription;
  load: upload get; location: address region place; lock: protect restrict; log: audit event record;
  logged: authenticated audit; login: authenticated; logo: avatar image; look: get search; loud: speech;
  mail: email notification message; mailbox: inbox folder; maintain: manage; make: create generate;
  manager: administrator owner; many: batch bulk count list; mark: set update label; markdown: render;
  member: user membership; mention: comment; merge: combine; message: text chat comment;
  metric: usage statistics monitor; mirror: copy replica; moderate: review; modify: update;
  money: cost billing spend; monitor: alert check metric uptime; move: transfer; much: usage count;
  mute: silence update; name: title summary; namespace: workspace; network: vpc subnet; node: server machine;
  note: comment; notification: alert message; notify: notification webhook alert; office: address;
  offline: disable; order: purchase; org: organization; organisation: organization; outage: status incident;
  overnight: batch; overview: list dashboard summary; owner: user administrator; page: document;
  parcel: shipment; partner: collaborator; password: credential reset authentication; pause: suspend stop;
  pay: payment; payment: pay charge; people: user member; permission: access; person: user member collaborator;
  phone: call number; photo: image; picture: image; pin: star; pipeline: workflow build; place: location;
  plan: schedule create subscription; point: record assign set route; poll: vote; port: rule; post: create;
  power: start action; pr: pull request; prevent: block protect; preview: thumbnail; price: cost billing;
  print: render; prioritize: priority; privilege: permission role; problem: issue error; product: item;
  profile: user account; prohibit: block restrict; project: workspace; promote: role update publish;
  property: attribute field; provision: create; proxy: gateway; publish: create release; purchase: buy order;
  push: deploy; put: add set; question: completion response prompt answer; quota: limit rate usage;
  raise: update increase; rank: reorder priority; reach: contact; react: reaction; read: get content;
  reader: user; reboot: restart action; recent: latest; record: log recording entry; recording: audio;
  recover: restore; redo: retry rerun restore; refresh: update sync; refund: payment; regenerate: rotate reset;
  redeploy: deployment; reduce: resize update; region: location center; register: create; reject: decline deny; release: version publish;
  remark: comment note; reminder: notification schedule; remove: delete; rename: update;
  renew: refresh extend regenerate; reopen: transition status state open update; reorder: order move;
  repair: fix update; replace: update; reply: comment create; repo: repository; report: issue list summary;
  request: create ask; reservation: booking; reserve: booking reservation create; reset: clear update;
  resize: scale size update; resolve: close transition update; response: answer reply;
  restart: reboot rerun retry action; restore: recover undelete revert; restrict: block limit protect;
  result: output; resume: restart start; retain: retention keep; retrieve: get; retry: rerun; return: restore;
  revert: rollback restore; review: approve comment; revision: version history; revoke: delete remove token;
  rid: delete remove; right: permission role; ring: call; role: permission; rollback: revert restore;
  room: conference channel space; rotate: regenerate reset renew; route: rule forward; rule: policy;
  run: start dispatch trigger; sale: order; save: create update set; scale: resize autoscale size; scan: check;
  schedule: create plan; seat: booking; secret: credential key; security: vulnerability protection;
  see: get list; sell: order; send: create; server: machine instance host node; session: login;
  set: update change configure put; setting: configuration preference; settings: configuration preference;
  share: collaboration collaborator permission invite access link shared create; ship: deploy release deliver;
  shipment: delivery order; shop: store; show: get list; shrink: resize scale; shutdown: stop power action;
  sign: login authenticate; silence: mute notification; site: page website domain; sms: message;
  snapshot: backup; snippet: gist content; sort: order; sound: audio; speak: speech audio; speed: performance;
  spend: cost usage billing; spent: cost usage billing; ssl: certificate; staff: user member;
  start: create run begin dispatch; state: status; statistics: usage metric count;
  stats: usage metric statistics; status: state; stop: cancel; storage: volume; store: save upload;
  subscribe: follow watch notification webhook; subscriber: subscription watcher; subscription: plan;
  subtract: remove; summary: overview; suspend: disable pause; switch: update change; sync: update refresh;
  table: database; tag: label; talk: chat; task: job issue; team: group; teammate: user member collaborator;
  tell: notify notification; terminate: cancel stop end delete; test: validate check;
  text: prompt message content; thread: conversation; throttle: limit; throw: remove delete; ticket: issue;
  timeline: event history; timer: schedule; timezone: locale; title: name summary; tls: certificate;
  topic: tag; track: watch log monitor; traffic: bandwidth view; train: tune; transcribe: transcription text;
  transition: status; translate: translation; trigger: dispatch run start create; try: retry run;
  turn: convert transform; undelete: restore; undo: revert cancel restore remove dismiss;
  uninstall: remove delete; unlock: lock; unmute: update; unsubscribe: subscription remove;
  untag: label remove; update: edit change; upgrade: update version; upload: create add import;
  uptime: health check monitor; url: link address webhook; usage: metric statistics;
  user: member account person; vector: embedding; verify: check validate confirm; version: release revision;
  video: movie; view: get list show; virtual: machine; visit: view; visitor: view; vm: machine instance server;
  voice: speech audio; vote: poll; vulnerability: alert advisory dependabot;
  vulnerable: alert advisory vulnerability; wait: queue pending; warn: alert notification; warning: alert;
  watch: subscribe watcher follow notification; webhook: hook; website: site page domain; what: list get;
  whenever: webhook event trigger; where: list get; which: list get; who: list user member;
  whoami: authenticated user; wipe: delete remove; withdraw: cancel delete; word: text; worker: node runner;
  workspace: project; write: create update; written: text transcript
`).map(([word, others]) => [word, others.split(" ")]),
);

/**
 * Words that mean something else together than alone, in small letters, with a word for it. The first that fits is taken.
 */
export const PHRASES: readonly (readonly [phrase: string, word: string])[] = entriesOf(`
  back up: backup; boot up: start; bring back: restore; check in: checkin; check out: checkout;
  cut off: disconnect; data center: region; data centers: regions; feature request: issue;
  feature requests: issues; fill in: update; fire off: start; follow up: reply; get rid of: remove;
  go back to: rollback; hand over: transfer; hang up: terminate; kick off: start; log in: login;
  log off: logout; log out: logout; look for: search; look up: get; open a: create a; open an: create an;
  open new: create new; pr: pull request; prs: pull requests; put back: restore; roll back: rollback;
  set off: start; set up: create; shut down: shutdown; sign in: login; sign off: approve; sign out: logout;
  sign up: register; spin up: create; start over: restart; start up: start; switch off: disable;
  switch on: enable; take away: remove; take down: delete; take off: remove; tear down: destroy;
  throw away: remove; throw out: remove; turn off: disable; turn on: enable; virtual machine: server;
  virtual machines: servers; who am i: get authenticated user
`);

function entriesOf(text: string): readonly (readonly [string, string])[] {
  return text.split(/[;\n]/).flatMap((entry) => {
    const [word = "", meaning = ""] = entry.split(": ").map((part) => part.trim());
    return word === "" ? [] : [[word, meaning] as const];
  });
}
