//! SELECTs.

use super::harness::Db;
use crate::types::{Value, oid};

/// Runs each statement and compares its rows, joined by blanks.
async fn check(cases: &[(&str, &str)]) {
    let db = Db::with_rows().await;
    let mut wrong = Vec::new();
    for (sql, expected) in cases {
        let got = db.query(sql).await;
        if got != *expected {
            wrong.push(format!("{sql}\n  expected {expected}\n  got      {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn scans_filters_and_orders() {
    check(&[
        ("SELECT 1", "1"),
        ("SELECT id, name FROM t", "1|one 2|two 3| 4|four"),
        ("SELECT name FROM t WHERE id = 2", "two"),
        ("SELECT name FROM t WHERE id = 2 AND grp = 10", ""),
        ("SELECT id FROM t WHERE id IN (4, 1, 7, 1)", "1 4"),
        ("SELECT id FROM t WHERE id > 1 AND id <= 3", "2 3"),
        ("SELECT id FROM t WHERE id > 1 ORDER BY id DESC", "4 3 2"),
        ("SELECT id FROM t WHERE grp = 10", "1 3"),
        ("SELECT id FROM t WHERE grp IS NULL", "4"),
        ("SELECT id FROM t WHERE grp < 15", "1 3"),
        ("SELECT id FROM t WHERE grp IS NOT NULL ORDER BY grp, id DESC", "3 1 2"),
        ("SELECT id, grp FROM t ORDER BY grp DESC NULLS LAST, id", "2|20 1|10 3|10 4|"),
        ("SELECT id FROM t ORDER BY name", "4 1 2 3"),
        ("SELECT id FROM t ORDER BY id LIMIT 2 OFFSET 1", "2 3"),
        ("SELECT id FROM t WHERE name IS NULL OR id = 1", "1 3"),
        ("SELECT id FROM t WHERE false", ""),
        ("SELECT grp FROM t ORDER BY grp FETCH FIRST 1 ROW WITH TIES", "10 10"),
        ("SELECT n FROM big WHERE n >= 2997", "2997 2998 2999"),
        ("SELECT n FROM big ORDER BY m DESC, n LIMIT 3", "6 13 20"),
        ("SELECT n FROM big ORDER BY m DESC, n OFFSET 2998", "2989 2996"),
        ("SELECT id FROM t WHERE id = 3000000000", ""),
        ("SELECT id FROM t WHERE id < 3000000000 AND id > 2", "3 4"),
    ])
    .await;
}

#[tokio::test]
async fn joins() {
    check(&[
        ("SELECT t.id, u.note FROM t JOIN u ON u.t_id = t.id ORDER BY u.id", "1|a 1|b 3|c"),
        ("SELECT t.id, u.note FROM t, u WHERE u.t_id = t.id AND t.id = 1 ORDER BY u.id", "1|a 1|b"),
        ("SELECT t.id, u.note FROM t LEFT JOIN u ON u.t_id = t.id ORDER BY t.id, u.id", "1|a 1|b 2| 3|c 4|"),
        ("SELECT t.id, u.note FROM t LEFT JOIN u ON u.t_id = t.id WHERE u.id IS NULL ORDER BY t.id", "2| 4|"),
        ("SELECT t.id, u.note FROM t RIGHT JOIN u ON u.t_id = t.id ORDER BY u.id", "1|a 1|b 3|c |d |e"),
        ("SELECT t.id, u.id FROM t FULL JOIN u ON u.t_id = t.id ORDER BY t.id, u.id", "1|1 1|2 2| 3|3 4| |4 |5"),
        ("SELECT t.id FROM t LEFT JOIN u ON u.t_id = t.id AND u.note = 'b' ORDER BY t.id", "1 2 3 4"),
        ("SELECT a.id, b.id FROM t a JOIN t b ON a.grp = b.grp AND a.id < b.id", "1|3"),
        ("SELECT a.id, b.id FROM t a CROSS JOIN t b WHERE a.id = 1 ORDER BY b.id", "1|1 1|2 1|3 1|4"),
        ("SELECT id FROM t WHERE id IN (SELECT t_id FROM u) ORDER BY id", "1 3"),
        ("SELECT id FROM t WHERE id NOT IN (SELECT t_id FROM u) ORDER BY id", ""),
        ("SELECT id FROM t WHERE id NOT IN (SELECT t_id FROM u WHERE t_id IS NOT NULL) ORDER BY id", "2 4"),
        ("SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id) ORDER BY id", "1 3"),
        ("SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id) ORDER BY id", "2 4"),
        ("SELECT id, (SELECT note FROM u WHERE u.t_id = t.id AND u.note <> 'a') FROM t ORDER BY id", "1|b 2| 3|c 4|"),
        ("SELECT id, EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id) FROM t ORDER BY id", "1|t 2|f 3|t 4|f"),
        ("SELECT s.id FROM (SELECT id, grp FROM t WHERE grp = 10) s JOIN u ON u.t_id = s.id ORDER BY u.id", "1 1 3"),
        ("SELECT t.id, s.note FROM t, LATERAL (SELECT note FROM u WHERE u.t_id = t.id ORDER BY note DESC LIMIT 1) s ORDER BY 1", "1|b 3|c"),
        (
            "SELECT t.id, s.note FROM t LEFT JOIN LATERAL (SELECT note FROM u WHERE u.t_id = t.id LIMIT 1) s ON true ORDER BY 1",
            "1|a 2| 3|c 4|",
        ),
        ("SELECT count(*) FROM big a JOIN big b ON a.n = b.m", "3000"),
        ("SELECT a.n, b.n, c.n FROM big a, big b, big c WHERE a.n = 5 AND b.n = a.m AND c.n = b.n", "5|5|5"),
        ("SELECT (SELECT t_id FROM u)", "ERROR: more than one row returned by a subquery used as an expression (21000)"),
        ("SELECT ARRAY(SELECT id FROM t ORDER BY id DESC)", "{4,3,2,1}"),
    ])
    .await;
}

#[tokio::test]
async fn groups_and_sets() {
    check(&[
        ("SELECT count(*), count(grp), count(DISTINCT grp) FROM t", "4|3|2"),
        ("SELECT grp, count(*) FROM t GROUP BY grp ORDER BY grp", "10|2 20|1 |1"),
        ("SELECT grp, count(*) FROM t GROUP BY grp HAVING count(*) > 1", "10|2"),
        ("SELECT count(*) FROM t WHERE false", "0"),
        ("SELECT max(id), min(id) FROM t", "4|1"),
        ("SELECT DISTINCT grp FROM t ORDER BY grp", "10 20 "),
        (
            "SELECT DISTINCT ON (grp) grp, id FROM t ORDER BY grp, id DESC",
            "10|3 20|2 |4",
        ),
        ("SELECT id FROM t UNION SELECT id FROM u ORDER BY id", "1 2 3 4 5"),
        ("SELECT id FROM t UNION ALL SELECT id FROM u ORDER BY id LIMIT 3", "1 1 2"),
        ("SELECT id FROM u EXCEPT SELECT id FROM t", "5"),
        ("SELECT id FROM u INTERSECT SELECT t_id FROM u ORDER BY 1", "1 3"),
        (
            "SELECT grp, id, count(*) FROM t GROUP BY ROLLUP (grp, id) ORDER BY 1, 2, 3",
            "10|1|1 10|3|1 10||2 20|2|1 20||1 |4|1 ||1 ||4",
        ),
        (
            "SELECT t.name, count(u.id) FROM t LEFT JOIN u ON u.t_id = t.id GROUP BY t.id ORDER BY t.id",
            "one|2 two|0 |1 four|0",
        ),
    ])
    .await;
}

#[tokio::test]
async fn with_and_windows() {
    check(&[
        ("WITH s AS (SELECT id FROM t WHERE grp = 10) SELECT a.id, b.id FROM s a, s b ORDER BY 1, 2", "1|1 1|3 3|1 3|3"),
        ("WITH s AS (SELECT id FROM t) SELECT id FROM s WHERE id = 2", "2"),
        ("WITH RECURSIVE r(n) AS (SELECT id FROM t WHERE id = 1 UNION ALL SELECT t.id FROM r JOIN t ON t.id > r.n AND t.id < 4) SELECT count(*) FROM r", "4"),
        ("WITH RECURSIVE r(n) AS (VALUES (1) UNION SELECT t.id FROM r, t WHERE t.id > r.n) SELECT n FROM r ORDER BY n", "1 2 3 4"),
        ("SELECT id, row_number() OVER (ORDER BY id DESC) FROM t ORDER BY id", "1|4 2|3 3|2 4|1"),
        ("SELECT id, rank() OVER (ORDER BY grp), count(*) OVER (PARTITION BY grp) FROM t ORDER BY id", "1|1|2 2|3|1 3|1|2 4|4|1"),
        ("SELECT id, count(*) OVER (ORDER BY id ROWS 1 PRECEDING) FROM t ORDER BY id", "1|1 2|2 3|2 4|2"),
        ("SELECT id, lag(id) OVER (ORDER BY id), lead(id) OVER (ORDER BY id) FROM t ORDER BY id", "1||2 2|1|3 3|2|4 4|3|"),
        ("SELECT * FROM (VALUES (1, 'x'), (2, 'y')) v(a, b) WHERE a = 2", "2|y"),
        ("SELECT CASE WHEN id = 1 THEN 'a' WHEN grp IS NULL THEN 'b' END FROM t ORDER BY id", "a   b"),
        ("SELECT coalesce(name, 'none') FROM t WHERE id = 3", "none"),
    ])
    .await;
}

#[tokio::test]
async fn parameters() {
    let db = Db::with_rows().await;
    assert_eq!(
        db.run("SELECT name FROM t WHERE id = $1", &[(oid::INT4, Value::Int4(2))])
            .await,
        ["two"]
    );
    assert_eq!(
        db.run("SELECT name FROM t WHERE id = $1", &[(oid::INT8, Value::Int8(1 << 40))])
            .await,
        [""; 0]
    );
    assert_eq!(
        db.run(
            "SELECT id FROM t WHERE grp = $1 ORDER BY id LIMIT $2",
            &[(oid::INT4, Value::Int4(10)), (oid::INT8, Value::Int8(1))]
        )
        .await,
        ["1"]
    );
}

#[tokio::test]
async fn access_paths() {
    let db = Db::with_rows().await;
    let cases = [
        (
            "SELECT * FROM t WHERE id = 1",
            "Index Scan using t_pkey on t\n  Index Cond: (id = 1)",
        ),
        (
            "SELECT * FROM t WHERE name = 'x'",
            "Seq Scan on t\n  Filter: (name = 'x'::text)",
        ),
        (
            "SELECT * FROM big ORDER BY n DESC LIMIT 1",
            "Limit\n  ->  Index Scan Backward using big_pkey on big",
        ),
        (
            "SELECT * FROM t WHERE grp = 10",
            "Index Scan using t_grp on t\n  Index Cond: (grp = 10)",
        ),
    ];
    for (sql, expected) in cases {
        assert_eq!(db.explain(sql), expected, "{sql}");
    }
}
