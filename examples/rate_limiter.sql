-- At most ten admissions a window, counted in another table under the lock of a guard row.
CREATE TABLE limits (name text PRIMARY KEY, per_window int NOT NULL);
CREATE TABLE admissions (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now());
INSERT INTO limits VALUES ('signup', 10);

-- The count sees every admission that was committed under the guard before: a snapshot taken after the lock is never
-- older than the lock's last release.
BEGIN;
SELECT per_window FROM limits WHERE name = 'signup' FOR UPDATE;
INSERT INTO admissions (name)
  SELECT 'signup' WHERE (SELECT count(*) FROM admissions WHERE name = 'signup' AND at > now() - interval '1 minute') < 10
  RETURNING id; -- no row: not admitted
COMMIT;
