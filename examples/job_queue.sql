-- A job queue: each worker takes the oldest job that nobody has, and nobody does a job twice.
CREATE TABLE jobs (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, state text NOT NULL DEFAULT 'ready', payload text);
CREATE INDEX jobs_ready ON jobs (id) WHERE state = 'ready';
INSERT INTO jobs (payload) SELECT 'job ' || n FROM generate_series(1, 100) AS n;

-- A worker, in a loop. The row lock lasts to the COMMIT: when the worker dies before it, the job is free again.
BEGIN;
SELECT id, payload FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED;
-- ... do the work, then with the id that came back:
UPDATE jobs SET state = 'done' WHERE id = 1;
COMMIT;
