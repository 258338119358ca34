"""psycopg2: the simple protocol, savepoints, COPY text, isolation levels, and a stock floor under FOR UPDATE."""
import io
import sys
import threading

import psycopg2
from psycopg2 import errors, extensions, extras

dsn = sys.argv[1]


def floor():
    with psycopg2.connect(dsn) as conn, conn.cursor() as cur:
        cur.execute("CREATE TABLE stock2 (id int PRIMARY KEY, n int NOT NULL); INSERT INTO stock2 VALUES (1, 50)")

    def buyer():
        conn = psycopg2.connect(dsn)
        for _ in range(20):
            with conn, conn.cursor() as cur:
                cur.execute("SELECT n FROM stock2 WHERE id = 1 FOR UPDATE")
                if cur.fetchone()[0] > 0:
                    cur.execute("UPDATE stock2 SET n = n - 1 WHERE id = 1")
        conn.close()

    buyers = [threading.Thread(target=buyer) for _ in range(4)]
    for one in buyers:
        one.start()
    for one in buyers:
        one.join()
    with psycopg2.connect(dsn) as conn, conn.cursor() as cur:
        cur.execute("SELECT n FROM stock2")
        assert cur.fetchone() == (0,)


def blocks(conn):
    cur = conn.cursor(cursor_factory=extras.DictCursor)
    cur.execute("CREATE TABLE notes2 (id serial PRIMARY KEY, body text NOT NULL, tags text[])")
    cur.execute("SAVEPOINT one")
    try:
        cur.execute("INSERT INTO notes2 (body) VALUES (NULL)")
        raise AssertionError("NOT NULL did not hold")
    except errors.NotNullViolation as error:
        assert error.diag.column_name == "body", error.diag.column_name
    cur.execute("ROLLBACK TO one")
    cur.execute("INSERT INTO notes2 (body, tags) VALUES (%s, %s) RETURNING id", ("it's", ["a", None]))
    assert cur.fetchone()["id"] == 2, "a sequence is not rolled back"
    cur.copy_expert("COPY notes2 (body) FROM STDIN WITH (FORMAT csv)", io.StringIO('"x, y"\nz\n'))
    out = io.StringIO()
    cur.copy_expert("COPY (SELECT body, tags FROM notes2 ORDER BY id) TO STDOUT", out)
    assert out.getvalue() == "it's\t{a,NULL}\nx, y\t\\N\nz\t\\N\n", out.getvalue()
    conn.commit()
    extras.execute_values(cur, "INSERT INTO notes2 (body) VALUES %s", [(f"n{n}",) for n in range(100)])
    conn.commit()


def serialization(conn):
    other = psycopg2.connect(dsn)
    conn.set_session(isolation_level=extensions.ISOLATION_LEVEL_REPEATABLE_READ)
    cur = conn.cursor()
    cur.execute("SELECT body FROM notes2 WHERE id = 2")
    with other, other.cursor() as theirs:
        theirs.execute("UPDATE notes2 SET body = 'theirs' WHERE id = 2")
    try:
        cur.execute("UPDATE notes2 SET body = 'ours' WHERE id = 2")
        raise AssertionError("a lost update")
    except errors.SerializationFailure:
        conn.rollback()
    other.close()


floor()
connection = psycopg2.connect(dsn)
blocks(connection)
serialization(connection)
connection.close()
print("ok")
