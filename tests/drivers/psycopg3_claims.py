"""psycopg 3: binary values, pipelines, server-side cursors, COPY, and claims by two workers that never meet."""
import datetime
import decimal
import sys
import threading
import uuid

import psycopg
from psycopg import errors

dsn = sys.argv[1]


def values(conn):
    sent = (True, 7, 2**40, 1.5, decimal.Decimal("12.3400"), "ä'\"\\", b"\x00\xff", datetime.date(2026, 12, 1),
            datetime.datetime(2026, 12, 1, 1, 2, 3, 456789), uuid.UUID(int=5), [1, None, 3])
    casts = "bool int int8 float8 numeric text bytea date timestamp uuid int[]".split()
    for binary in (False, True):
        cur = conn.cursor(binary=binary)
        row = cur.execute("SELECT " + ", ".join(f"%s::{cast}" for cast in casts), sent).fetchone()
        assert row == sent, (binary, row)


def claims():
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("CREATE TABLE jobs3 (id int PRIMARY KEY, taken_by int)")
        with conn.cursor().copy("COPY jobs3 (id) FROM STDIN") as copy:
            for number in range(200):
                copy.write_row((number,))

    def worker(name):
        with psycopg.connect(dsn) as conn:
            while True:
                with conn.transaction():
                    row = conn.execute("SELECT id FROM jobs3 WHERE taken_by IS NULL ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED").fetchone()
                    if row is None:
                        return
                    done = conn.execute("UPDATE jobs3 SET taken_by = %s WHERE id = %s AND taken_by IS NULL", (name, row[0]))
                    assert done.rowcount == 1

    workers = [threading.Thread(target=worker, args=(name,)) for name in (1, 2, 3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    with psycopg.connect(dsn) as conn:
        assert conn.execute("SELECT count(*), count(taken_by) FROM jobs3").fetchone() == (200, 200)


def errors_and_pipelines(conn):
    conn.execute("CREATE TABLE limits3 (n int CONSTRAINT positive CHECK (n > 0), name text UNIQUE)")
    try:
        conn.execute("INSERT INTO limits3 VALUES (0, 'a')")
        raise AssertionError("the check did not fail")
    except errors.CheckViolation as error:
        assert error.diag.constraint_name == "positive" and error.diag.table_name == "limits3", error.diag
    with conn.pipeline():
        for number in range(1, 50):
            conn.execute("INSERT INTO limits3 VALUES (%s, %s)", (number, f"name {number}"))
    with conn.transaction(), conn.cursor(name="portal") as cur:
        cur.execute("SELECT n FROM limits3 ORDER BY n")
        assert [row[0] for row in cur.fetchmany(10)] == list(range(1, 11))
        assert len(cur.fetchall()) == 39
    try:
        with conn.transaction():
            conn.execute("SELECT n FROM limits3 WHERE n = 1 FOR UPDATE")
            with psycopg.connect(dsn) as other:
                other.execute("SELECT n FROM limits3 WHERE n = 1 FOR UPDATE NOWAIT")
        raise AssertionError("NOWAIT waited or got the lock")
    except errors.LockNotAvailable:
        pass


def notifications():
    with psycopg.connect(dsn, autocommit=True) as listener, psycopg.connect(dsn) as sender:
        listener.execute("LISTEN claims")
        sender.execute("SELECT pg_notify('claims', 'done')")
        sender.commit()
        told = next(listener.notifies(timeout=10, stop_after=1))
        assert (told.channel, told.payload) == ("claims", "done")


with psycopg.connect(dsn, autocommit=True) as connection:
    values(connection)
    errors_and_pipelines(connection)
claims()
notifications()
print("ok")
