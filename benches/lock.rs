//! What a lock costs: alone, shared by many, and handed from one task to the next.
//!
//! `cargo bench --bench lock`

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use holdfast::cancel::Cancel;
use holdfast::ids::{BackendPid, Oid, StorageId, SubXid, Version};
use holdfast::lock::{Everything, Holder, LockManager, Mode, RecordMode, RelationMode, Request, Scope, TargetRef, Wait};

fn request(holder: Holder, target: TargetRef<'_>, mode: Mode) -> Request<'_> {
    Request {
        holder,
        target,
        mode,
        scope: Scope::Transaction(SubXid(1)),
        wait: Wait::Block,
        lock_timeout: None,
        deadlock_timeout: Duration::from_secs(1),
    }
}

fn record(key: &[u8]) -> TargetRef<'_> {
    TargetRef::Record {
        database: Oid(5),
        relation: Oid(16384),
        storage: StorageId(9),
        key,
    }
}

const RELATION: TargetRef<'static> = TargetRef::Relation {
    database: Oid(5),
    relation: Oid(16384),
};

fn manager() -> Arc<LockManager> {
    Arc::new(LockManager::new(Arc::new(Everything)))
}

fn register(manager: &LockManager, pid: i32) -> Holder {
    manager.register(BackendPid(pid), Arc::new(Cancel::new()))
}

fn uncontended(c: &mut Criterion) {
    let manager = manager();
    let holder = register(&manager, 1);
    let mut key = 0_u64;
    c.bench_function("record: acquire and release", |b| {
        b.iter(|| {
            key += 1;
            let key = key.to_be_bytes();
            let update = request(holder, record(&key), Mode::Record(RecordMode::Update));
            black_box(manager.try_acquire(&update).is_some());
            manager.release_transaction(holder, Version(key[7].into()));
        });
    });
    c.bench_function("record: 100,000 in one transaction, each", |b| {
        b.iter_custom(|iterations| {
            let started = Instant::now();
            for _ in 0..iterations.div_ceil(100_000) {
                for key in 0..100_000_u64 {
                    let key = key.to_be_bytes();
                    let update = request(holder, record(&key), Mode::Record(RecordMode::Update));
                    black_box(manager.try_acquire(&update).is_some());
                }
                manager.release_transaction(holder, Version(1));
            }
            started
                .elapsed()
                .mul_f64(iterations as f64 / (iterations.div_ceil(100_000) * 100_000) as f64)
        });
    });
    let crowd: Vec<Holder> = (2..5_002).map(|pid| register(&manager, pid)).collect();
    for &other in &crowd {
        manager.try_acquire(&request(other, record(b"parent"), Mode::Record(RecordMode::KeyShare)));
        manager.try_acquire(&request(other, RELATION, Mode::Relation(RelationMode::RowExclusive)));
    }
    c.bench_function("record: join and leave 5,000 sharers", |b| {
        b.iter(|| {
            manager.try_acquire(&request(holder, record(b"parent"), Mode::Record(RecordMode::KeyShare)));
            manager.release_transaction(holder, Version(1));
        });
    });
    c.bench_function("relation: join and leave 5,000 writers", |b| {
        b.iter(|| {
            manager.try_acquire(&request(holder, RELATION, Mode::Relation(RelationMode::RowExclusive)));
            manager.release_transaction(holder, Version(1));
        });
    });
}

fn contended(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    for tasks in [2_u64, 32] {
        c.bench_function(&format!("record: handed over among {tasks} tasks"), |b| {
            b.iter_custom(|iterations| {
                let manager = manager();
                let each = iterations.div_ceil(tasks);
                let started = Instant::now();
                let run = |pid: u64| {
                    let manager = manager.clone();
                    runtime.spawn(async move {
                        let holder = register(&manager, pid as i32 + 1);
                        for _ in 0..each {
                            let update = request(holder, record(b"hot"), Mode::Record(RecordMode::Update));
                            manager.acquire(update).await.expect("no deadlock among single locks");
                            manager.release_transaction(holder, Version(1));
                        }
                    })
                };
                let handles: Vec<_> = (0..tasks).map(run).collect();
                for handle in handles {
                    runtime.block_on(handle).expect("no panic");
                }
                started.elapsed().mul_f64(iterations as f64 / (each * tasks) as f64)
            });
        });
    }
}

criterion_group!(benches, uncontended, contended);
criterion_main!(benches);
