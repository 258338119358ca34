-- Stock that never goes below zero, however many buyers come at once.
CREATE TABLE stock (item text PRIMARY KEY, quantity bigint NOT NULL CHECK (quantity >= 0));
INSERT INTO stock VALUES ('lamp', 10);

-- One statement is enough: the loser of a race waits for the winner, looks again, and finds the condition false.
UPDATE stock SET quantity = quantity - 1 WHERE item = 'lamp' AND quantity >= 1 RETURNING quantity;

-- Reading first and deciding in the application needs the lock on the read.
BEGIN;
SELECT quantity FROM stock WHERE item = 'lamp' FOR UPDATE;
UPDATE stock SET quantity = quantity - 1 WHERE item = 'lamp';
COMMIT;
