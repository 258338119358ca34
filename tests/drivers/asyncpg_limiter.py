"""asyncpg: prepared statements in binary, many at once, and a limit of ten that admits ten."""
import asyncio
import datetime
import sys

import asyncpg

dsn = sys.argv[1]


async def limiter():
    conn = await asyncpg.connect(dsn)
    await conn.execute("CREATE TABLE gate (id int PRIMARY KEY, used int NOT NULL); CREATE TABLE passes (who int)")
    await conn.execute("INSERT INTO gate VALUES (1, 0)")
    pool = await asyncpg.create_pool(dsn, min_size=5, max_size=5)

    async def attempt(who):
        async with pool.acquire() as one, one.transaction():
            if await one.fetchval("SELECT used FROM gate WHERE id = $1 FOR UPDATE", 1) < 10:
                await one.execute("UPDATE gate SET used = used + 1 WHERE id = $1", 1)
                await one.execute("INSERT INTO passes VALUES ($1)", who)

    await asyncio.gather(*(attempt(who) for who in range(30)))
    assert await conn.fetchval("SELECT count(*) FROM passes") == 10
    await pool.close()
    await conn.close()


async def values():
    conn = await asyncpg.connect(dsn)
    moment = datetime.datetime(2026, 12, 1, 1, 2, 3, tzinfo=datetime.timezone.utc)
    row = await conn.fetchrow("SELECT $1::timestamptz AS at, $2::int[] AS list, $3::jsonb AS doc, $4::interval AS span",
                              moment, [1, 2, None], '{"a": [1, 2.50]}', datetime.timedelta(days=1, seconds=2))
    assert dict(row) == {"at": moment, "list": [1, 2, None], "doc": '{"a": [1, 2.50]}',
                         "span": datetime.timedelta(days=1, seconds=2)}, dict(row)
    await conn.execute("CREATE TABLE many (id int PRIMARY KEY, body text)")
    await conn.executemany("INSERT INTO many VALUES ($1, $2)", [(n, str(n)) for n in range(500)])
    async with conn.transaction():
        seen = [record["id"] async for record in conn.cursor("SELECT id FROM many ORDER BY id", prefetch=50)]
    assert seen == list(range(500))
    try:
        await conn.execute("INSERT INTO many VALUES ($1, 'again')", 1)
        raise AssertionError("the key was not unique")
    except asyncpg.UniqueViolationError as error:
        assert error.constraint_name == "many_pkey"
    try:
        await conn.fetchval("SELECT pg_sleep(30)", timeout=0.2)
        raise AssertionError("the statement was not cancelled")
    except asyncio.TimeoutError:
        pass
    assert await conn.fetchval("SELECT 1") == 1
    await conn.close()


asyncio.run(limiter())
asyncio.run(values())
print("ok")
