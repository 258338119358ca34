-- What holdfast adds: ownership of records by nodes, the nodes, and their messages. Rows come from the server.

CREATE VIEW holdfast.ownership (
    relation regclass,
    key text,
    node integer,
    incarnation bigint,
    modes text,
    since bigint
) WITH (oid = 15001, rowtype = 15002, arraytype = 15003, source = 'holdfast.ownership');

CREATE VIEW holdfast.ownership_history (
    epoch bigint,
    relation regclass,
    key text,
    node integer,
    modes text,
    event text,
    happened_at timestamp with time zone
) WITH (oid = 15004, rowtype = 15005, arraytype = 15006, source = 'holdfast.ownership_history');

CREATE VIEW holdfast.nodes (
    node integer,
    address text,
    role text,
    incarnation bigint,
    live boolean,
    lease_until timestamp with time zone,
    applied bigint,
    lag bigint
) WITH (oid = 15007, rowtype = 15008, arraytype = 15009, source = 'holdfast.nodes');

CREATE VIEW holdfast.locks (
    node integer,
    pid integer,
    locktype text,
    database oid,
    relation regclass,
    key text,
    mode text,
    granted boolean,
    queue_place integer,
    waitstart timestamp with time zone
) WITH (oid = 15010, rowtype = 15011, arraytype = 15012, source = 'holdfast.locks');

CREATE VIEW holdfast.messages (
    kind text,
    sent bigint,
    received bigint
) WITH (oid = 15013, rowtype = 15014, arraytype = 15015, source = 'holdfast.messages');
