// node-postgres: a pool, prepared statements by name, a cursor, LISTEN, and an exactly-once claim.
const assert = require("node:assert");
const { Client, Pool } = require("pg");
const Cursor = require("pg-cursor");

const connectionString = process.argv[2];

async function claims(pool) {
  await pool.query("CREATE TABLE jobs_js (id int PRIMARY KEY, state text NOT NULL DEFAULT 'new')");
  await pool.query("INSERT INTO jobs_js (id) SELECT generate_series(1, 100)");
  const seen = [];
  const worker = async () => {
    for (;;) {
      const claimed = await pool.query(
        "UPDATE jobs_js SET state = 'done' WHERE id = (SELECT id FROM jobs_js WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id",
      );
      if (claimed.rowCount === 0) return;
      seen.push(claimed.rows[0].id);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  assert.deepStrictEqual(seen.sort((a, b) => a - b), Array.from({ length: 100 }, (_, n) => n + 1));
}

async function statements(pool) {
  const client = await pool.connect();
  const named = { name: "by-id", text: "SELECT id, state, id::bigint AS big, now() AS at FROM jobs_js WHERE id = $1" };
  for (const id of [1, 2, 3]) {
    const { rows } = await client.query({ ...named, values: [id] });
    assert.strictEqual(rows[0].id, id);
    assert.strictEqual(rows[0].big, String(id));
    assert.ok(rows[0].at instanceof Date);
  }
  const cursor = client.query(new Cursor("SELECT id FROM jobs_js ORDER BY id"));
  assert.strictEqual((await cursor.read(30)).length, 30);
  assert.strictEqual((await cursor.read(100)).length, 70);
  await cursor.close();
  await assert.rejects(client.query("INSERT INTO jobs_js (id) VALUES ($1)", [1]), (error) => {
    assert.strictEqual(error.code, "23505");
    assert.strictEqual(error.constraint, "jobs_js_pkey");
    return true;
  });
  client.release();
}

async function notifications() {
  const listener = new Client({ connectionString });
  const sender = new Client({ connectionString });
  await Promise.all([listener.connect(), sender.connect()]);
  await listener.query("LISTEN jobs_js");
  const told = new Promise((resolve) => listener.on("notification", resolve));
  await sender.query("NOTIFY jobs_js, 'new work'");
  assert.strictEqual((await told).payload, "new work");
  await Promise.all([listener.end(), sender.end()]);
}

(async () => {
  const pool = new Pool({ connectionString, max: 4 });
  await claims(pool);
  await statements(pool);
  await pool.end();
  await notifications();
  console.log("ok");
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
