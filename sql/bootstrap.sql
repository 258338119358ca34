-- What a new data directory holds: roles, databases, and the schema that every database starts with.

CREATE ROLE postgres WITH (oid = 10, superuser = true, login = true);
CREATE ROLE pg_monitor WITH (oid = 3373, member_of = '3374 3375 3377');
CREATE ROLE pg_read_all_settings WITH (oid = 3374);
CREATE ROLE pg_read_all_stats WITH (oid = 3375);
CREATE ROLE pg_stat_scan_tables WITH (oid = 3377);
CREATE ROLE pg_signal_backend WITH (oid = 4200);
CREATE ROLE pg_checkpoint WITH (oid = 4544);
CREATE ROLE pg_read_server_files WITH (oid = 4569);
CREATE ROLE pg_write_server_files WITH (oid = 4570);
CREATE ROLE pg_execute_server_program WITH (oid = 4571);
CREATE ROLE pg_database_owner WITH (oid = 6171);
CREATE ROLE pg_read_all_data WITH (oid = 6181);
CREATE ROLE pg_write_all_data WITH (oid = 6182);

CREATE DATABASE template1 WITH (oid = 1, template = true, connections = true, comment = 'default template for new databases');
CREATE DATABASE template0 WITH (oid = 4, template = true, connections = false, comment = 'unmodifiable empty database');
CREATE DATABASE postgres WITH (oid = 5, template = false, connections = true, comment = 'default administrative connection database');

CREATE SCHEMA public WITH (oid = 2200, owner = 6171, comment = 'standard public schema');
