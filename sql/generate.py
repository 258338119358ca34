#!/usr/bin/env python3
"""Writes pg_catalog.sql, information_schema.sql and data/*.tsv from a running PostgreSQL 15.

    sql/generate.py "host=127.0.0.1 port=5432 user=postgres dbname=postgres"

Only declarations (columns, types, OIDs) and the definitions of simple views come from the server; the rows of all
other relations are computed by src/catalog/virtual_tables. Run it again only for another version of PostgreSQL.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DSN = sys.argv[1]

# Relations whose rows the server computes (src/catalog/virtual_tables).
COMPUTED = set("""
pg_extension pg_init_privs pg_aggregate pg_attrdef pg_attribute pg_auth_members pg_authid pg_class pg_constraint pg_database pg_db_role_setting pg_depend
pg_description pg_enum pg_index pg_inherits pg_namespace pg_operator pg_proc pg_rewrite pg_sequence pg_shdepend pg_shdescription
pg_statistic pg_stats pg_type pg_settings pg_locks pg_stat_activity pg_stat_database pg_cursors pg_prepared_statements
pg_prepared_xacts pg_timezone_names pg_timezone_abbrevs pg_stat_all_tables pg_stat_user_tables pg_stat_sys_tables
pg_stat_all_indexes pg_stat_user_indexes pg_stat_sys_indexes pg_statio_all_tables pg_statio_user_tables pg_statio_sys_tables
pg_statio_all_indexes pg_statio_user_indexes pg_statio_sys_indexes pg_statio_all_sequences pg_statio_user_sequences
pg_stat_xact_all_tables pg_stat_xact_user_tables pg_config pg_sequences
""".split())
# Relations with the same rows in every server (data/*.tsv), and which rows.
DATA = {
    "pg_am": "where oid in (2, 403, 405)",
    "pg_amop": "where amopmethod in (403, 405)",
    "pg_amproc": "where amprocfamily in (select oid from pg_opfamily where opfmethod in (403, 405))",
    "pg_cast": "",
    "pg_collation": "where oid in (100, 950, 951, 12340)",
    "pg_language": "where oid in (12, 13, 14)",
    "pg_opclass": "where opcmethod in (403, 405)",
    "pg_opfamily": "where opfmethod in (403, 405)",
    "pg_range": "",
    "pg_tablespace": "",
}
# Views kept as SQL text over the tables.
VIEWS = "pg_roles pg_shadow pg_group pg_user pg_tables pg_matviews pg_views pg_indexes pg_rules pg_policies".split()
# Views that would need rows that nobody keeps: 0A000 when read.
UNSUPPORTED = """
pg_stat_bgwriter pg_stat_wal pg_stat_slru pg_stat_archiver pg_shmem_allocations pg_backend_memory_contexts pg_hba_file_rules
pg_ident_file_mappings pg_file_settings pg_stat_recovery_prefetch pg_stat_ssl pg_stat_gssapi pg_stats_ext pg_stats_ext_exprs
pg_stat_database_conflicts
""".split()
INFORMATION = """
columns tables views schemata table_constraints key_column_usage constraint_column_usage constraint_table_usage
referential_constraints check_constraints sequences information_schema_catalog_name character_sets enabled_roles applicable_roles
table_privileges role_table_grants domains element_types collations view_table_usage
""".split()


def query(sql):
    out = subprocess.run(["psql", DSN, "-XAtqc", sql], check=True, capture_output=True, text=True).stdout
    return out


def relations(schema):
    return json.loads(query(f"""
        select json_agg(r order by r.oid) from (
        select c.oid::int8 as oid, c.relname as name, c.relkind as kind, c.reltype::int8 as rowtype,
          (select t.typarray::int8 from pg_type t where t.oid = c.reltype) as arraytype, c.relisshared as shared,
          case when c.relkind = 'v' then pg_get_viewdef(c.oid) end as definition,
          (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'notnull', a.attnotnull,
             'collation', a.attcollation::int8) order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0) as columns
        from pg_class c where relnamespace = '{schema}'::regnamespace and relkind in ('r', 'v')) r"""))


def declare(schema, relation, source, body=None):
    word = "TABLE" if relation["kind"] == "r" else "VIEW"
    lines = []
    for column in relation["columns"]:
        line = f"    {column['name']} {column['type']}"
        if column["collation"] == 950:
            line += ' COLLATE "C"'
        if column["notnull"]:
            line += " NOT NULL"
        lines.append(line)
    options = [f"oid = {relation['oid']}", f"rowtype = {relation['rowtype']}", f"arraytype = {relation['arraytype']}"]
    if relation["shared"]:
        options.append("shared = true")
    if body is None:
        options.append(f"source = '{source}'")
    text = f"CREATE {word} {schema}.{relation['name']} (\n" + ",\n".join(lines) + f"\n) WITH ({', '.join(options)})"
    if body is not None:
        text += " AS\n" + body.rstrip().rstrip(";")
    return text + ";\n"


def pg_catalog():
    out = ["-- The system catalogs of PostgreSQL 15: columns, types and OIDs. Written by generate.py; `source` names where the rows come from.\n"]
    for relation in relations("pg_catalog"):
        name = relation["name"]
        body = None
        if name in VIEWS:
            body = relation["definition"]
            source = ""
        elif name in DATA:
            source = "data"
        elif name in COMPUTED:
            source = name
        elif name in UNSUPPORTED:
            source = "unsupported"
        else:
            source = "none"
        out.append(declare("pg_catalog", relation, source, body))
    return "\n".join(out)


def information_schema():
    out = ["-- The information schema of PostgreSQL 15. Written by generate.py.\n"]
    domains = json.loads(query("""
        select json_agg(d order by d.oid) from (select t.oid::int8 as oid, t.typarray::int8 as array, t.typname as name,
          format_type(t.typbasetype, t.typtypmod) as base from pg_type t
          where typtype = 'd' and typnamespace = 'information_schema'::regnamespace) d"""))
    for domain in domains:
        out.append(f"CREATE DOMAIN information_schema.{domain['name']} AS {domain['base']} "
                   f"WITH (oid = {domain['oid']}, arraytype = {domain['array']});\n")
    for relation in relations("information_schema"):
        name = relation["name"]
        relation["kind"] = "v" if name not in ("sql_features", "sql_implementation_info", "sql_parts", "sql_sizing") else "r"
        source = f"information_schema.{name}" if name in INFORMATION else "none"
        out.append(declare("information_schema", relation, source))
    return "\n".join(out)


def data():
    os.makedirs(os.path.join(HERE, "data"), exist_ok=True)
    for name, where in DATA.items():
        columns = json.loads(query(f"""
            select json_agg(json_build_array(attname, format_type(atttypid, -1)) order by attnum)
            from pg_attribute where attrelid = 'pg_catalog.{name}'::regclass and attnum > 0"""))
        listed = ", ".join(f"{column}::oid" if type == "regproc" else column for column, type in columns)
        rows = query(f"copy (select {listed} from pg_catalog.{name} {where} order by 1) to stdout")
        with open(os.path.join(HERE, "data", name + ".tsv"), "w") as file:
            file.write(rows)

    rows = query("""copy (select oid, proname, array_to_string(proargtypes::oid[], ' '), prorettype, proisstrict, provolatile from pg_proc
        where oid in (select unnest(array[typinput, typoutput, typreceive, typsend, typmodin, typmodout, typanalyze, typsubscript]::oid[])
            from pg_type where typnamespace = 11 and typrelid = 0)
          or proname in ('enum_in', 'enum_out', 'enum_recv', 'enum_send', 'domain_in', 'domain_recv')
          or oid in (select castfunc from pg_cast)
          or oid in (select amhandler from pg_am where oid in (2, 403, 405)) order by 1) to stdout""")
    with open(os.path.join(HERE, "data", "type_functions.tsv"), "w") as file:
        file.write(rows)
    with open(os.path.join(HERE, "data", "keywords.tsv"), "w") as file:
        file.write(query("copy (select * from pg_get_keywords()) to stdout"))


def main():
    with open(os.path.join(HERE, "pg_catalog.sql"), "w") as file:
        file.write(pg_catalog())
    with open(os.path.join(HERE, "information_schema.sql"), "w") as file:
        file.write(information_schema())
    data()


main()
