//! Golden scripts (`scripts/*.lock`): steps of named transactions, then what every step answers and the table after it.
//! The language:
//! ```text
//! == title
//! t1: lock acct/7 share [nowait|skip] [session]     record; `acct` is a relation, `key:acct/7` a key, `advisory/5`
//! t1: unlock advisory/5 exclusive                   one count of a session lock
//! t1: savepoint                                     takes the next subtransaction number, from 2
//! t1: rollback to 2
//! t1: commit | cancel | check                       `cancel` leaves the wait, `check` is the deadlock check
//! ---
//! t1: answer [wakes t2 ...] | target held[t1 share] queue[t2 update] | ...
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crate::cancel::{Cancel, Reason};
use crate::ids::{BackendPid, Oid, StorageId, SubXid, Version, Xid};
use crate::lock::manager::Begun;
use crate::lock::wait::Ticket;
use crate::lock::*;

struct Actor<'a> {
    holder: Holder,
    sub: u32,
    last_sub: u32,
    ticket: Option<Ticket<'a>>,
}

struct Script<'a> {
    manager: &'a LockManager,
    actors: BTreeMap<String, Actor<'a>>,
}

const DATABASE: Oid = Oid(5);
const RELATION_WORDS: [&str; 8] = [
    "access share",
    "row share",
    "row exclusive",
    "share update exclusive",
    "share",
    "share row exclusive",
    "exclusive",
    "access exclusive",
];
const RECORD_WORDS: [&str; 4] = ["key share", "share", "no key update", "update"];
const ADVISORY_WORDS: [&str; 2] = ["shared", "exclusive"];

fn words(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Relation => &RELATION_WORDS,
        Kind::Record => &RECORD_WORDS,
        Kind::Advisory => &ADVISORY_WORDS,
        Kind::Key => &["exclusive"],
    }
}

/// Relations are named by one letter or word; its bytes are the OID.
fn oid(name: &str) -> Oid {
    Oid(name.bytes().take(4).fold(0, |oid, byte| oid << 8 | u32::from(byte)))
}

fn target(text: &str) -> Target {
    if let Some(key) = text.strip_prefix("advisory/") {
        let key = AdvisoryKey::Big(key.parse().expect("advisory/NUMBER"));
        return Target::Advisory { database: DATABASE, key };
    }
    let (text, is_key) = text.strip_prefix("key:").map_or((text, false), |rest| (rest, true));
    let (name, key) = text.split_once('/').unwrap_or((text, ""));
    let (database, relation, storage) = (DATABASE, oid(name), StorageId(u64::from(oid(name).0)));
    let bytes: Box<[u8]> = key.bytes().collect();
    match (is_key, key.is_empty()) {
        (true, _) => Target::Key {
            database,
            relation,
            storage,
            key: bytes,
        },
        (false, true) => Target::Relation { database, relation },
        (false, false) => Target::Record {
            database,
            relation,
            storage,
            key: bytes,
        },
    }
}

fn show_target(target: &Target) -> String {
    let name = |oid: &Oid| String::from_utf8(oid.0.to_be_bytes().into_iter().filter(|&b| b != 0).collect()).expect("ASCII");
    let key = |key: &[u8]| String::from_utf8(key.to_vec()).expect("ASCII");
    match target {
        Target::Relation { relation, .. } => name(relation),
        Target::Record {
            relation, key: bytes, ..
        } => format!("{}/{}", name(relation), key(bytes)),
        Target::Key {
            relation, key: bytes, ..
        } => format!("key:{}/{}", name(relation), key(bytes)),
        Target::Advisory {
            key: AdvisoryKey::Big(key),
            ..
        } => format!("advisory/{key}"),
        Target::Advisory {
            key: AdvisoryKey::Pair(a, b),
            ..
        } => format!("advisory/{a}.{b}"),
    }
}

impl<'a> Script<'a> {
    fn actor(&mut self, name: &str) -> &mut Actor<'a> {
        let manager = self.manager;
        self.actors.entry(name.to_owned()).or_insert_with(|| {
            let number: i32 = name[1..].parse().expect("actors are t1, t2, ...");
            let holder = manager.register(BackendPid(number), Arc::new(Cancel::new()));
            manager.set_xid(holder, Xid(700 + number as u64));
            Actor {
                holder,
                sub: 1,
                last_sub: 1,
                ticket: None,
            }
        })
    }

    fn step(&mut self, line: &str) -> String {
        let (name, action) = line.split_once(": ").expect("actor: action");
        let manager = self.manager;
        let actor = self.actor(name);
        let holder = actor.holder;
        let mut answer = match action.split_once(' ').unwrap_or((action, "")) {
            ("lock", what) => Self::lock(manager, actor, what),
            ("unlock", what) => {
                let (place, mode) = what.split_once(' ').expect("unlock TARGET MODE");
                let target = target(place);
                let mode = words(target.kind())
                    .iter()
                    .position(|word| *word == mode)
                    .expect("a mode of the kind");
                let mode = target.kind().mode(mode as u8);
                let had = manager.release_session_lock(holder, target.as_ref(), mode, Version(0));
                if had { "released" } else { "not held" }.to_owned()
            }
            ("savepoint", _) => {
                actor.last_sub += 1;
                actor.sub = actor.last_sub;
                format!("at {}", actor.sub)
            }
            ("release", to) => {
                actor.sub = to.parse().expect("release into NUMBER");
                "done".to_owned()
            }
            ("rollback", to) => {
                let to = to
                    .strip_prefix("to ")
                    .and_then(|n| n.parse().ok())
                    .expect("rollback to NUMBER");
                actor.sub = to;
                manager.release_after(holder, SubXid(to), Version(0));
                "done".to_owned()
            }
            ("commit", _) => {
                manager.release_transaction(holder, Version(0));
                manager.set_xid(holder, Xid(700 + holder.0));
                "done".to_owned()
            }
            ("cancel", _) => {
                actor.ticket = None;
                "gave up".to_owned()
            }
            ("check", _) => match actor.ticket.as_ref().expect("the actor waits").check_deadlock() {
                Ok(()) => "no deadlock".to_owned(),
                Err(error) => Self::deadlock(error),
            },
            (other, _) => panic!("unknown action {other}"),
        };
        let woken = self.woken(name);
        if !woken.is_empty() {
            write!(answer, " wakes {}", woken.join(" ")).expect("writing to a string");
        }
        format!("{name}: {answer} | {}", self.table())
    }

    fn lock(manager: &'a LockManager, actor: &mut Actor<'a>, what: &str) -> String {
        let (place, mut rest) = what.split_once(' ').expect("lock TARGET MODE");
        let (mut wait, mut scope) = (Wait::Block, Scope::Transaction(SubXid(actor.sub)));
        while let Some((before, last)) = rest.rsplit_once(' ') {
            match last {
                "nowait" => wait = Wait::NoWait,
                "skip" => wait = Wait::Skip,
                "session" => scope = Scope::Session,
                _ => break,
            }
            rest = before;
        }
        let target = target(place);
        let mode = words(target.kind())
            .iter()
            .position(|word| *word == rest)
            .expect("a mode of the kind");
        let request = Request {
            holder: actor.holder,
            target: target.as_ref(),
            mode: target.kind().mode(mode as u8),
            scope,
            wait,
            lock_timeout: None,
            deadlock_timeout: Duration::from_secs(1),
        };
        let state = manager.state(actor.holder).expect("registered");
        match manager.begin(&request, &state, wait) {
            Ok(Begun::Granted(grant)) => if grant.already_held { "held" } else { "granted" }.to_owned(),
            Ok(Begun::Queued) => {
                actor.ticket = Some(Ticket::new(manager, state.clone()));
                let mut pids = manager.blocking_pids(state.pid);
                pids.sort_unstable();
                pids.dedup();
                let names: Vec<String> = pids.iter().map(|pid| format!("t{pid}")).collect();
                format!("waits for {}", names.join(" "))
            }
            Ok(Begun::Uncovered) => "uncovered".to_owned(),
            Err(LockError::NotAvailable) => "refused".to_owned(),
            Err(LockError::Skipped) => "skipped".to_owned(),
            Err(error) => Self::deadlock(error),
        }
    }

    fn deadlock(error: LockError) -> String {
        let LockError::Deadlock(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(error.code().as_str(), "40P01");
        format!(
            "deadlock: {}",
            error.fields().detail.as_deref().unwrap_or("").replace('\n', " / ")
        )
    }

    /// Who else has got what it waited for.
    fn woken(&mut self, me: &str) -> Vec<String> {
        let mut woken = Vec::new();
        for (name, actor) in &mut self.actors {
            if actor.ticket.as_ref().is_some_and(|ticket| ticket.poll().is_some()) {
                actor.ticket = None;
                woken.push(if name == me { format!("{name} itself") } else { name.clone() });
            }
        }
        woken
    }

    fn table(&self) -> String {
        let mut targets: BTreeMap<String, (Vec<String>, Vec<(usize, String)>)> = BTreeMap::new();
        for row in self.manager.snapshot() {
            let (held, queue) = targets.entry(show_target(&row.target)).or_default();
            let mode = words(row.target.kind())[usize::from(row.mode.index())];
            let text = format!("t{} {mode}{}", row.pid, if row.session { " session" } else { "" });
            match row.position {
                Some(position) => queue.push((position, text)),
                None => held.push(text),
            }
        }
        let show = |(target, (mut held, mut queue)): (String, (Vec<String>, Vec<(usize, String)>))| {
            held.sort();
            queue.sort();
            let mut text = format!("{target} held[{}]", held.join(", "));
            if !queue.is_empty() {
                let queue: Vec<String> = queue.into_iter().map(|waiter| waiter.1).collect();
                write!(text, " queue[{}]", queue.join(", ")).expect("writing to a string");
            }
            text
        };
        let shown: Vec<String> = targets.into_iter().map(show).collect();
        if shown.is_empty() {
            "empty".to_owned()
        } else {
            shown.join(" | ")
        }
    }
}

fn run(title: &str, body: &str) -> Result<(), String> {
    let clean = |line: &str| {
        line.split('#')
            .next()
            .unwrap_or("")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (steps, expected) = body.split_once("---").expect("steps --- expected");
    let manager = LockManager::new(Arc::new(Everything));
    let mut script = Script {
        manager: &manager,
        actors: BTreeMap::new(),
    };
    let lines = |text: &str| text.lines().map(clean).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let actual: Vec<String> = lines(steps)
        .iter()
        .map(|line| script.step(line))
        .map(|line| clean(&line))
        .collect();
    let expected = lines(expected);
    let holders: Vec<Holder> = script.actors.values().map(|actor| actor.holder).collect();
    drop(script);
    holders.into_iter().for_each(|holder| manager.unregister(holder, Version(0)));
    assert_eq!(manager.counts(), Counts::default(), "{title}: the table is empty at the end");
    if actual == expected {
        return Ok(());
    }
    let show = |mark: &str, lines: &[String]| {
        let lines: Vec<String> = lines.iter().map(|line| format!("{mark} {line}\n")).collect();
        lines.concat()
    };
    Err(format!(
        "== {title}\n{}\n{}",
        show("expected", &expected),
        show("actual  ", &actual)
    ))
}

#[test]
fn scripts() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lock/scripts");
    let mut failures = Vec::new();
    let mut cases = 0;
    for file in std::fs::read_dir(folder).expect("the scripts are beside this file") {
        let path = file.expect("a readable folder").path();
        let text = std::fs::read_to_string(&path).expect("a readable script");
        for case in text.split("\n== ").skip(1) {
            let (title, body) = case.split_once('\n').expect("a title, then steps");
            cases += 1;
            failures.extend(run(title, body).err());
        }
    }
    assert!(cases > 0, "no scripts found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// PostgreSQL's tables are symmetric; a slip in a bit would not be.
#[test]
fn conflicts_are_symmetric() {
    for kind in [Kind::Relation, Kind::Record, Kind::Advisory, Kind::Key] {
        let count = words(kind).len() as u8;
        for a in 0..count {
            for b in 0..count {
                assert_eq!(
                    kind.conflicts(a).contains(b),
                    kind.conflicts(b).contains(a),
                    "{kind:?} {a} {b}"
                );
            }
        }
    }
}

fn record(key: u64) -> Target {
    let key = key.to_be_bytes().into();
    Target::Record {
        database: DATABASE,
        relation: Oid(16384),
        storage: StorageId(1),
        key,
    }
}

fn request(holder: Holder, target: &Target, mode: RecordMode) -> Request<'_> {
    Request {
        holder,
        target: target.as_ref(),
        mode: Mode::Record(mode),
        scope: Scope::Transaction(SubXid(1)),
        wait: Wait::Block,
        lock_timeout: None,
        deadlock_timeout: Duration::from_millis(20),
    }
}

fn manager_with(count: i32) -> (Arc<LockManager>, Vec<(Holder, Arc<Cancel>)>) {
    let manager = Arc::new(LockManager::new(Arc::new(Everything)));
    let holder = |pid| {
        let cancel = Arc::new(Cancel::new());
        (manager.register(BackendPid(pid), cancel.clone()), cancel)
    };
    let holders = (1..=count).map(holder).collect();
    (manager, holders)
}

#[tokio::test]
async fn a_grant_shows_at_least_what_the_releaser_published() {
    let (manager, holders) = manager_with(2);
    let (a, b) = (holders[0].0, holders[1].0);
    let row = record(7);
    manager.acquire(request(a, &row, RecordMode::Update)).await.expect("free");
    let other = manager.clone();
    let waiter = tokio::spawn(async move { other.acquire(request(b, &record(7), RecordMode::Update)).await });
    while manager.counts().waiting == 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(manager.blocking_pids(BackendPid(2)), [BackendPid(1)]);
    manager.release_transaction(a, Version(42));
    let grant = waiter.await.expect("no panic").expect("granted");
    assert!(grant.waited && grant.seen == Version(42), "{grant:?}");
    manager.release_transaction(b, Version(41));
    // A later holder that does not wait sees it all the same.
    let grant = manager
        .try_acquire(&request(a, &row, RecordMode::Share))
        .expect("free")
        .expect("granted");
    assert_eq!((grant.waited, grant.seen), (false, Version(42)));
}

#[tokio::test]
async fn a_wait_ends_by_timeout_cancel_and_drop_without_a_trace() {
    let (manager, holders) = manager_with(4);
    let row = record(7);
    manager
        .acquire(request(holders[0].0, &row, RecordMode::Update))
        .await
        .expect("free");

    let limited = Request {
        lock_timeout: Some(Duration::from_millis(5)),
        ..request(holders[1].0, &row, RecordMode::Share)
    };
    assert!(matches!(manager.acquire(limited).await, Err(LockError::Timeout)));

    holders[2].1.raise(Reason::UserRequest);
    let cancelled = manager.acquire(request(holders[2].0, &row, RecordMode::Share)).await;
    let Err(LockError::Cancelled(error)) = cancelled else {
        panic!("{cancelled:?}")
    };
    assert_eq!(error.message(), "canceling statement due to user request");

    let dropped = manager.acquire(request(holders[3].0, &row, RecordMode::Share));
    assert!(tokio::time::timeout(Duration::from_millis(5), dropped).await.is_err());
    assert_eq!(
        manager.counts(),
        Counts {
            locks: 1,
            waiting: 0,
            contended: 0
        }
    );

    // Granted, and dropped before it was noticed: given back.
    let ticket = {
        let state = manager.state(holders[3].0).expect("registered");
        let begun = manager.begin(&request(holders[3].0, &row, RecordMode::Share), &state, Wait::Block);
        assert!(matches!(begun, Ok(Begun::Queued)));
        Ticket::new(&manager, state)
    };
    manager.release_transaction(holders[0].0, Version(1));
    assert_eq!(manager.transaction_lock_count(holders[3].0), 1);
    drop(ticket);
    assert_eq!(manager.counts(), Counts::default());
    assert_eq!(manager.transaction_lock_count(holders[3].0), 0);
}

#[tokio::test]
async fn the_last_to_wait_is_the_victim_of_a_deadlock() {
    let (manager, holders) = manager_with(2);
    let (a, b) = (holders[0].0, holders[1].0);
    manager.set_xid(a, Xid(743));
    manager.set_xid(b, Xid(744));
    let (one, two) = (record(1), record(2));
    manager.acquire(request(a, &one, RecordMode::Update)).await.expect("free");
    manager.acquire(request(b, &two, RecordMode::Update)).await.expect("free");
    let other = manager.clone();
    let waiter = tokio::spawn(async move {
        let patient = Duration::from_secs(100);
        other
            .acquire(Request {
                deadlock_timeout: patient,
                ..request(a, &record(2), RecordMode::Update)
            })
            .await
    });
    while manager.counts().waiting == 0 {
        tokio::task::yield_now().await;
    }
    let answer = manager.acquire(request(b, &one, RecordMode::Update)).await;
    let Err(LockError::Deadlock(error)) = answer else {
        panic!("{answer:?}")
    };
    let detail = "Process 2 waits for ShareLock on transaction 743; blocked by process 1.\n\
                  Process 1 waits for ShareLock on transaction 744; blocked by process 2.";
    assert_eq!(error.fields().detail.as_deref(), Some(detail));
    manager.release_transaction(b, Version(0));
    waiter.await.expect("no panic").expect("granted once the victim has let go");
}

#[test]
fn a_full_table_says_so() {
    let manager = LockManager::with_limit(Arc::new(Everything), 256);
    let holder = manager.register(BackendPid(1), Arc::new(Cancel::new()));
    let full = (0..10_000).any(|key| {
        let answer = manager
            .try_acquire(&request(holder, &record(key), RecordMode::Update))
            .expect("nobody to wait for");
        matches!(answer, Err(LockError::TableFull))
    });
    assert!(full);
    manager.release_transaction(holder, Version(1));
    assert_eq!(manager.counts(), Counts::default());
}

#[test]
fn a_prepared_transaction_takes_the_locks_over() {
    let (manager, holders) = manager_with(2);
    let (session, prepared) = (holders[0].0, manager.register(BackendPid(0), Arc::new(Cancel::new())));
    for (key, mode) in [
        (1, RecordMode::Update),
        (2, RecordMode::KeyShare),
        (2, RecordMode::NoKeyUpdate),
    ] {
        manager
            .try_acquire(&request(session, &record(key), mode))
            .expect("free")
            .expect("granted");
    }
    manager
        .try_acquire(&request(holders[1].0, &record(2), RecordMode::KeyShare))
        .expect("free")
        .expect("granted");
    manager.transfer_transaction(session, prepared);
    let locks = manager.transaction_locks(prepared);
    assert_eq!(locks.len(), 3);
    assert_eq!(locks[0], (record(1), Mode::Record(RecordMode::Update)));
    assert!(
        manager
            .try_acquire(&request(session, &record(1), RecordMode::KeyShare))
            .is_none(),
        "no longer its own"
    );
    manager.release_transaction(prepared, Version(1));
    manager.release_transaction(holders[1].0, Version(1));
    assert_eq!(manager.counts(), Counts::default());
}

/// Many tasks on few rows: never two in a row at once, and nothing left at the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stress_excludes_and_leaves_nothing() {
    use std::sync::atomic::{AtomicI64, Ordering};
    const ROWS: usize = 4;
    let (manager, holders) = manager_with(32);
    // Per row: -1 is a writer inside, n > 0 are sharers inside.
    let inside: Arc<Vec<AtomicI64>> = Arc::new((0..ROWS).map(|_| AtomicI64::new(0)).collect());
    let mut tasks = Vec::new();
    for (number, (holder, _)) in holders.iter().cloned().enumerate() {
        let (manager, inside) = (manager.clone(), inside.clone());
        tasks.push(tokio::spawn(async move {
            let mut random = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(number as u64 + 1);
            for _ in 0..500 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let row = (random >> 33) as usize % ROWS;
                let share = random >> 60 < 8;
                let mode = if share { RecordMode::Share } else { RecordMode::Update };
                let target = record(row as u64);
                let mut request = request(holder, &target, mode);
                if (random >> 50).trailing_zeros() >= 4 {
                    request.lock_timeout = Some(Duration::from_micros(50));
                }
                if manager.acquire(request).await.is_err() {
                    continue;
                }
                let before = inside[row].fetch_add(if share { 1 } else { -1 }, Ordering::SeqCst);
                assert!(
                    before == 0 || (share && before > 0),
                    "row {row}: {before} inside, share {share}"
                );
                tokio::task::yield_now().await;
                inside[row].fetch_sub(if share { 1 } else { -1 }, Ordering::SeqCst);
                manager.release_transaction(holder, Version(1));
            }
        }));
    }
    for task in tasks {
        task.await.expect("no assertion failed");
    }
    assert_eq!(manager.counts(), Counts::default());
}

/// A parent row with thousands of KEY SHARE holders: the last to join pays what the first paid.
#[test]
fn a_crowd_joins_and_leaves() {
    let (manager, holders) = manager_with(5_001);
    let row = record(1);
    for (holder, _) in &holders[..5_000] {
        manager
            .try_acquire(&request(*holder, &row, RecordMode::KeyShare))
            .expect("compatible")
            .expect("granted");
    }
    let update = request(holders[5_000].0, &row, RecordMode::Update);
    assert!(manager.try_acquire(&update).is_none());
    let no_key = request(holders[5_000].0, &row, RecordMode::NoKeyUpdate);
    manager.try_acquire(&no_key).expect("compatible").expect("granted");
    for (holder, _) in &holders {
        manager.release_transaction(*holder, Version(1));
    }
    assert_eq!(manager.counts(), Counts::default());
}

/// A node that owns nothing until it has asked.
#[derive(Default)]
struct Remote {
    owned: std::sync::atomic::AtomicBool,
    asked: std::sync::atomic::AtomicUsize,
    answers: tokio::sync::Notify,
}

#[async_trait::async_trait]
impl Authority for Remote {
    fn covers(&self, _: &Target, _: Mode) -> Option<crate::ids::LogIndex> {
        self.owned
            .load(std::sync::atomic::Ordering::SeqCst)
            .then_some(crate::ids::LogIndex(9))
    }

    async fn obtain(&self, _: &Target, _: Mode) -> crate::error::Result<crate::ids::LogIndex> {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        self.answers.notified().await;
        self.owned.store(true, std::sync::atomic::Ordering::SeqCst);
        Ok(crate::ids::LogIndex(9))
    }

    fn dropped(&self, _database: Oid, _relation: Oid) {}

    fn granted(&self, _: &Target, _: Mode) {}
}

#[tokio::test]
async fn a_waiter_keeps_its_place_while_the_node_obtains_the_record() {
    let remote = Arc::new(Remote::default());
    let manager = Arc::new(LockManager::new(remote.clone()));
    let holders: Vec<Holder> = (1..=2)
        .map(|pid| manager.register(BackendPid(pid), Arc::new(Cancel::new())))
        .collect();
    let mut tasks = Vec::new();
    for (number, &holder) in holders.iter().enumerate() {
        let manager = manager.clone();
        tasks.push(tokio::spawn(async move {
            manager.acquire(request(holder, &record(1), RecordMode::Update)).await
        }));
        let waiting = &tasks[number];
        while !waiting.is_finished() && manager_waiting(&remote, number) {
            tokio::task::yield_now().await;
        }
    }
    let other = record(2);
    let first = Request {
        wait: Wait::NoWait,
        ..request(holders[0], &other, RecordMode::Update)
    };
    assert!(manager.try_acquire(&first).is_none(), "not refused: it has to ask first");
    remote.answers.notify_one();
    let grant = tasks.remove(0).await.expect("no panic").expect("granted");
    assert_eq!((grant.waited, grant.granted_at), (true, crate::ids::LogIndex(9)));
    manager.release_transaction(holders[0], Version(1));
    tasks
        .remove(0)
        .await
        .expect("no panic")
        .expect("granted without asking again");
    manager.release_transaction(holders[1], Version(1));
    assert_eq!(remote.asked.load(std::sync::atomic::Ordering::SeqCst), 1);
    assert_eq!(manager.counts(), Counts::default());
}

/// Whether the first waiter has not asked yet; the second has nothing to ask for.
fn manager_waiting(remote: &Remote, number: usize) -> bool {
    number == 0 && remote.asked.load(std::sync::atomic::Ordering::SeqCst) == 0
}

/// Thousands behind one row: each one's check walks the queue once.
#[test]
fn a_deadlock_check_of_a_long_queue_is_linear() {
    let (manager, holders) = manager_with(5_000);
    let row = record(1);
    let mut tickets = Vec::new();
    for (holder, _) in &holders {
        let state = manager.state(*holder).expect("registered");
        if let Ok(Begun::Queued) = manager.begin(&request(*holder, &row, RecordMode::Update), &state, Wait::Block) {
            tickets.push(Ticket::new(&manager, state));
        }
    }
    let started = std::time::Instant::now();
    tickets.last().expect("a waiter").check_deadlock().expect("no deadlock");
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    while let Some(ticket) = tickets.pop() {
        drop(ticket);
    }
    manager.release_transaction(holders[0].0, Version(1));
    assert_eq!(manager.counts(), Counts::default());
}

/// 100 bytes a lock, its key apart: the cell, the log's item (a growing vector may be half empty), the index's slot.
#[test]
fn a_lock_is_small() {
    use crate::lock::holders::Held;
    let index = 16; // 5 bytes at a load of 7/16 to 7/8
    let each = crate::lock::slots::CELL_BYTES + 2 * std::mem::size_of::<Held>() + index;
    assert!(each <= 100, "{each} bytes");
}

/// Random steps of every kind; after each, no two holders conflict, and each waiter has somebody to wait for.
#[test]
fn random_steps_keep_the_invariants() {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    const TARGETS: [&str; 5] = ["a", "b", "a/1", "advisory/1", "key:a/1"];
    for seed in 0..50 {
        let mut random = StdRng::seed_from_u64(seed);
        let manager = LockManager::new(Arc::new(Everything));
        let mut script = Script {
            manager: &manager,
            actors: BTreeMap::new(),
        };
        for _ in 0..200 {
            let name = format!("t{}", random.random_range(1..=6));
            let waits = script.actor(&name).ticket.is_some();
            let place = TARGETS[random.random_range(0..TARGETS.len())];
            let kind = target(place).kind();
            let mode = words(kind)[random.random_range(0..words(kind).len())];
            let session = if kind == Kind::Advisory && random.random_bool(0.5) {
                " session"
            } else {
                ""
            };
            let wait = ["", "", " nowait"][random.random_range(0..3)];
            let action = match random.random_range(0..10) {
                0..2 if waits => "check".to_owned(),
                2 if waits => "cancel".to_owned(),
                _ if waits => continue,
                0..6 => format!("lock {place} {mode}{wait}{session}"),
                6 => "savepoint".to_owned(),
                7 if script.actor(&name).sub > 1 => format!("rollback to {}", script.actor(&name).sub),
                8 if kind == Kind::Advisory => format!("unlock {place} {mode}"),
                9 => "commit".to_owned(),
                _ => continue,
            };
            let step = format!("{name}: {action}");
            let shown = script.step(&step);
            if shown.contains("deadlock:") {
                script.actor(&name).ticket = None;
                script.step(&format!("{name}: commit"));
            }
            assert_invariants(&manager.snapshot(), &format!("seed {seed}, after {step}: {shown}"));
        }
        let holders: Vec<Holder> = script.actors.values().map(|actor| actor.holder).collect();
        drop(script);
        holders.into_iter().for_each(|holder| manager.unregister(holder, Version(0)));
        assert_eq!(
            manager.counts(),
            Counts::default(),
            "seed {seed}: the table is empty at the end"
        );
    }
}

fn assert_invariants(rows: &[LockRow], context: &str) {
    for row in rows {
        let blocks = |other: &&LockRow| other.target == row.target && other.pid != row.pid && other.mode.conflicts_with(row.mode);
        let ahead = |other: &LockRow| other.granted || other.position < row.position;
        let blocked = rows
            .iter()
            .filter(blocks)
            .any(|other| if row.granted { other.granted } else { ahead(other) });
        assert_eq!(blocked, !row.granted, "{row:?} {context}");
    }
}
