-- The system catalogs of PostgreSQL 15: columns, types and OIDs. Written by generate.py; `source` names where the rows come from.

CREATE TABLE pg_catalog.pg_default_acl (
    oid oid NOT NULL,
    defaclrole oid NOT NULL,
    defaclnamespace oid NOT NULL,
    defaclobjtype "char" NOT NULL,
    defaclacl aclitem[] NOT NULL
) WITH (oid = 826, rowtype = 10088, arraytype = 10087, source = 'none');

CREATE TABLE pg_catalog.pg_tablespace (
    oid oid NOT NULL,
    spcname name COLLATE "C" NOT NULL,
    spcowner oid NOT NULL,
    spcacl aclitem[],
    spcoptions text[] COLLATE "C"
) WITH (oid = 1213, rowtype = 10056, arraytype = 10055, shared = true, source = 'data');

CREATE TABLE pg_catalog.pg_shdepend (
    dbid oid NOT NULL,
    classid oid NOT NULL,
    objid oid NOT NULL,
    objsubid integer NOT NULL,
    refclassid oid NOT NULL,
    refobjid oid NOT NULL,
    deptype "char" NOT NULL
) WITH (oid = 1214, rowtype = 10060, arraytype = 10059, shared = true, source = 'pg_shdepend');

CREATE TABLE pg_catalog.pg_type (
    oid oid NOT NULL,
    typname name COLLATE "C" NOT NULL,
    typnamespace oid NOT NULL,
    typowner oid NOT NULL,
    typlen smallint NOT NULL,
    typbyval boolean NOT NULL,
    typtype "char" NOT NULL,
    typcategory "char" NOT NULL,
    typispreferred boolean NOT NULL,
    typisdefined boolean NOT NULL,
    typdelim "char" NOT NULL,
    typrelid oid NOT NULL,
    typsubscript regproc NOT NULL,
    typelem oid NOT NULL,
    typarray oid NOT NULL,
    typinput regproc NOT NULL,
    typoutput regproc NOT NULL,
    typreceive regproc NOT NULL,
    typsend regproc NOT NULL,
    typmodin regproc NOT NULL,
    typmodout regproc NOT NULL,
    typanalyze regproc NOT NULL,
    typalign "char" NOT NULL,
    typstorage "char" NOT NULL,
    typnotnull boolean NOT NULL,
    typbasetype oid NOT NULL,
    typtypmod integer NOT NULL,
    typndims integer NOT NULL,
    typcollation oid NOT NULL,
    typdefaultbin pg_node_tree COLLATE "C",
    typdefault text COLLATE "C",
    typacl aclitem[]
) WITH (oid = 1247, rowtype = 71, arraytype = 210, source = 'pg_type');

CREATE TABLE pg_catalog.pg_attribute (
    attrelid oid NOT NULL,
    attname name COLLATE "C" NOT NULL,
    atttypid oid NOT NULL,
    attstattarget integer NOT NULL,
    attlen smallint NOT NULL,
    attnum smallint NOT NULL,
    attndims integer NOT NULL,
    attcacheoff integer NOT NULL,
    atttypmod integer NOT NULL,
    attbyval boolean NOT NULL,
    attalign "char" NOT NULL,
    attstorage "char" NOT NULL,
    attcompression "char" NOT NULL,
    attnotnull boolean NOT NULL,
    atthasdef boolean NOT NULL,
    atthasmissing boolean NOT NULL,
    attidentity "char" NOT NULL,
    attgenerated "char" NOT NULL,
    attisdropped boolean NOT NULL,
    attislocal boolean NOT NULL,
    attinhcount integer NOT NULL,
    attcollation oid NOT NULL,
    attacl aclitem[],
    attoptions text[] COLLATE "C",
    attfdwoptions text[] COLLATE "C",
    attmissingval anyarray
) WITH (oid = 1249, rowtype = 75, arraytype = 270, source = 'pg_attribute');

CREATE TABLE pg_catalog.pg_proc (
    oid oid NOT NULL,
    proname name COLLATE "C" NOT NULL,
    pronamespace oid NOT NULL,
    proowner oid NOT NULL,
    prolang oid NOT NULL,
    procost real NOT NULL,
    prorows real NOT NULL,
    provariadic oid NOT NULL,
    prosupport regproc NOT NULL,
    prokind "char" NOT NULL,
    prosecdef boolean NOT NULL,
    proleakproof boolean NOT NULL,
    proisstrict boolean NOT NULL,
    proretset boolean NOT NULL,
    provolatile "char" NOT NULL,
    proparallel "char" NOT NULL,
    pronargs smallint NOT NULL,
    pronargdefaults smallint NOT NULL,
    prorettype oid NOT NULL,
    proargtypes oidvector NOT NULL,
    proallargtypes oid[],
    proargmodes "char"[],
    proargnames text[] COLLATE "C",
    proargdefaults pg_node_tree COLLATE "C",
    protrftypes oid[],
    prosrc text COLLATE "C" NOT NULL,
    probin text COLLATE "C",
    prosqlbody pg_node_tree COLLATE "C",
    proconfig text[] COLLATE "C",
    proacl aclitem[]
) WITH (oid = 1255, rowtype = 81, arraytype = 272, source = 'pg_proc');

CREATE TABLE pg_catalog.pg_class (
    oid oid NOT NULL,
    relname name COLLATE "C" NOT NULL,
    relnamespace oid NOT NULL,
    reltype oid NOT NULL,
    reloftype oid NOT NULL,
    relowner oid NOT NULL,
    relam oid NOT NULL,
    relfilenode oid NOT NULL,
    reltablespace oid NOT NULL,
    relpages integer NOT NULL,
    reltuples real NOT NULL,
    relallvisible integer NOT NULL,
    reltoastrelid oid NOT NULL,
    relhasindex boolean NOT NULL,
    relisshared boolean NOT NULL,
    relpersistence "char" NOT NULL,
    relkind "char" NOT NULL,
    relnatts smallint NOT NULL,
    relchecks smallint NOT NULL,
    relhasrules boolean NOT NULL,
    relhastriggers boolean NOT NULL,
    relhassubclass boolean NOT NULL,
    relrowsecurity boolean NOT NULL,
    relforcerowsecurity boolean NOT NULL,
    relispopulated boolean NOT NULL,
    relreplident "char" NOT NULL,
    relispartition boolean NOT NULL,
    relrewrite oid NOT NULL,
    relfrozenxid xid NOT NULL,
    relminmxid xid NOT NULL,
    relacl aclitem[],
    reloptions text[] COLLATE "C",
    relpartbound pg_node_tree COLLATE "C"
) WITH (oid = 1259, rowtype = 83, arraytype = 273, source = 'pg_class');

CREATE TABLE pg_catalog.pg_authid (
    oid oid NOT NULL,
    rolname name COLLATE "C" NOT NULL,
    rolsuper boolean NOT NULL,
    rolinherit boolean NOT NULL,
    rolcreaterole boolean NOT NULL,
    rolcreatedb boolean NOT NULL,
    rolcanlogin boolean NOT NULL,
    rolreplication boolean NOT NULL,
    rolbypassrls boolean NOT NULL,
    rolconnlimit integer NOT NULL,
    rolpassword text COLLATE "C",
    rolvaliduntil timestamp with time zone
) WITH (oid = 1260, rowtype = 2842, arraytype = 10057, shared = true, source = 'pg_authid');

CREATE TABLE pg_catalog.pg_auth_members (
    roleid oid NOT NULL,
    member oid NOT NULL,
    grantor oid NOT NULL,
    admin_option boolean NOT NULL
) WITH (oid = 1261, rowtype = 2843, arraytype = 10058, shared = true, source = 'pg_auth_members');

CREATE TABLE pg_catalog.pg_database (
    oid oid NOT NULL,
    datname name COLLATE "C" NOT NULL,
    datdba oid NOT NULL,
    encoding integer NOT NULL,
    datlocprovider "char" NOT NULL,
    datistemplate boolean NOT NULL,
    datallowconn boolean NOT NULL,
    datconnlimit integer NOT NULL,
    datfrozenxid xid NOT NULL,
    datminmxid xid NOT NULL,
    dattablespace oid NOT NULL,
    datcollate text COLLATE "C" NOT NULL,
    datctype text COLLATE "C" NOT NULL,
    daticulocale text COLLATE "C",
    datcollversion text COLLATE "C",
    datacl aclitem[]
) WITH (oid = 1262, rowtype = 1248, arraytype = 10052, shared = true, source = 'pg_database');

CREATE TABLE pg_catalog.pg_foreign_server (
    oid oid NOT NULL,
    srvname name COLLATE "C" NOT NULL,
    srvowner oid NOT NULL,
    srvfdw oid NOT NULL,
    srvtype text COLLATE "C",
    srvversion text COLLATE "C",
    srvacl aclitem[],
    srvoptions text[] COLLATE "C"
) WITH (oid = 1417, rowtype = 10078, arraytype = 10077, source = 'none');

CREATE TABLE pg_catalog.pg_user_mapping (
    oid oid NOT NULL,
    umuser oid NOT NULL,
    umserver oid NOT NULL,
    umoptions text[] COLLATE "C"
) WITH (oid = 1418, rowtype = 10080, arraytype = 10079, source = 'none');

CREATE TABLE pg_catalog.pg_sequence (
    seqrelid oid NOT NULL,
    seqtypid oid NOT NULL,
    seqstart bigint NOT NULL,
    seqincrement bigint NOT NULL,
    seqmax bigint NOT NULL,
    seqmin bigint NOT NULL,
    seqcache bigint NOT NULL,
    seqcycle boolean NOT NULL
) WITH (oid = 2224, rowtype = 10105, arraytype = 10104, source = 'pg_sequence');

CREATE TABLE pg_catalog.pg_foreign_data_wrapper (
    oid oid NOT NULL,
    fdwname name COLLATE "C" NOT NULL,
    fdwowner oid NOT NULL,
    fdwhandler oid NOT NULL,
    fdwvalidator oid NOT NULL,
    fdwacl aclitem[],
    fdwoptions text[] COLLATE "C"
) WITH (oid = 2328, rowtype = 10076, arraytype = 10075, source = 'none');

CREATE TABLE pg_catalog.pg_shdescription (
    objoid oid NOT NULL,
    classoid oid NOT NULL,
    description text COLLATE "C" NOT NULL
) WITH (oid = 2396, rowtype = 10062, arraytype = 10061, shared = true, source = 'pg_shdescription');

CREATE TABLE pg_catalog.pg_aggregate (
    aggfnoid regproc NOT NULL,
    aggkind "char" NOT NULL,
    aggnumdirectargs smallint NOT NULL,
    aggtransfn regproc NOT NULL,
    aggfinalfn regproc NOT NULL,
    aggcombinefn regproc NOT NULL,
    aggserialfn regproc NOT NULL,
    aggdeserialfn regproc NOT NULL,
    aggmtransfn regproc NOT NULL,
    aggminvtransfn regproc NOT NULL,
    aggmfinalfn regproc NOT NULL,
    aggfinalextra boolean NOT NULL,
    aggmfinalextra boolean NOT NULL,
    aggfinalmodify "char" NOT NULL,
    aggmfinalmodify "char" NOT NULL,
    aggsortop oid NOT NULL,
    aggtranstype oid NOT NULL,
    aggtransspace integer NOT NULL,
    aggmtranstype oid NOT NULL,
    aggmtransspace integer NOT NULL,
    agginitval text COLLATE "C",
    aggminitval text COLLATE "C"
) WITH (oid = 2600, rowtype = 10027, arraytype = 10026, source = 'pg_aggregate');

CREATE TABLE pg_catalog.pg_am (
    oid oid NOT NULL,
    amname name COLLATE "C" NOT NULL,
    amhandler regproc NOT NULL,
    amtype "char" NOT NULL
) WITH (oid = 2601, rowtype = 10015, arraytype = 10014, source = 'data');

CREATE TABLE pg_catalog.pg_amop (
    oid oid NOT NULL,
    amopfamily oid NOT NULL,
    amoplefttype oid NOT NULL,
    amoprighttype oid NOT NULL,
    amopstrategy smallint NOT NULL,
    amoppurpose "char" NOT NULL,
    amopopr oid NOT NULL,
    amopmethod oid NOT NULL,
    amopsortfamily oid NOT NULL
) WITH (oid = 2602, rowtype = 10017, arraytype = 10016, source = 'data');

CREATE TABLE pg_catalog.pg_amproc (
    oid oid NOT NULL,
    amprocfamily oid NOT NULL,
    amproclefttype oid NOT NULL,
    amprocrighttype oid NOT NULL,
    amprocnum smallint NOT NULL,
    amproc regproc NOT NULL
) WITH (oid = 2603, rowtype = 10019, arraytype = 10018, source = 'data');

CREATE TABLE pg_catalog.pg_attrdef (
    oid oid NOT NULL,
    adrelid oid NOT NULL,
    adnum smallint NOT NULL,
    adbin pg_node_tree COLLATE "C" NOT NULL
) WITH (oid = 2604, rowtype = 10001, arraytype = 10000, source = 'pg_attrdef');

CREATE TABLE pg_catalog.pg_cast (
    oid oid NOT NULL,
    castsource oid NOT NULL,
    casttarget oid NOT NULL,
    castfunc oid NOT NULL,
    castcontext "char" NOT NULL,
    castmethod "char" NOT NULL
) WITH (oid = 2605, rowtype = 10043, arraytype = 10042, source = 'data');

CREATE TABLE pg_catalog.pg_constraint (
    oid oid NOT NULL,
    conname name COLLATE "C" NOT NULL,
    connamespace oid NOT NULL,
    contype "char" NOT NULL,
    condeferrable boolean NOT NULL,
    condeferred boolean NOT NULL,
    convalidated boolean NOT NULL,
    conrelid oid NOT NULL,
    contypid oid NOT NULL,
    conindid oid NOT NULL,
    conparentid oid NOT NULL,
    confrelid oid NOT NULL,
    confupdtype "char" NOT NULL,
    confdeltype "char" NOT NULL,
    confmatchtype "char" NOT NULL,
    conislocal boolean NOT NULL,
    coninhcount integer NOT NULL,
    connoinherit boolean NOT NULL,
    conkey smallint[],
    confkey smallint[],
    conpfeqop oid[],
    conppeqop oid[],
    conffeqop oid[],
    confdelsetcols smallint[],
    conexclop oid[],
    conbin pg_node_tree COLLATE "C"
) WITH (oid = 2606, rowtype = 10003, arraytype = 10002, source = 'pg_constraint');

CREATE TABLE pg_catalog.pg_conversion (
    oid oid NOT NULL,
    conname name COLLATE "C" NOT NULL,
    connamespace oid NOT NULL,
    conowner oid NOT NULL,
    conforencoding integer NOT NULL,
    contoencoding integer NOT NULL,
    conproc regproc NOT NULL,
    condefault boolean NOT NULL
) WITH (oid = 2607, rowtype = 10049, arraytype = 10048, source = 'none');

CREATE TABLE pg_catalog.pg_depend (
    classid oid NOT NULL,
    objid oid NOT NULL,
    objsubid integer NOT NULL,
    refclassid oid NOT NULL,
    refobjid oid NOT NULL,
    refobjsubid integer NOT NULL,
    deptype "char" NOT NULL
) WITH (oid = 2608, rowtype = 10051, arraytype = 10050, source = 'pg_depend');

CREATE TABLE pg_catalog.pg_description (
    objoid oid NOT NULL,
    classoid oid NOT NULL,
    objsubid integer NOT NULL,
    description text COLLATE "C" NOT NULL
) WITH (oid = 2609, rowtype = 10041, arraytype = 10040, source = 'pg_description');

CREATE TABLE pg_catalog.pg_index (
    indexrelid oid NOT NULL,
    indrelid oid NOT NULL,
    indnatts smallint NOT NULL,
    indnkeyatts smallint NOT NULL,
    indisunique boolean NOT NULL,
    indnullsnotdistinct boolean NOT NULL,
    indisprimary boolean NOT NULL,
    indisexclusion boolean NOT NULL,
    indimmediate boolean NOT NULL,
    indisclustered boolean NOT NULL,
    indisvalid boolean NOT NULL,
    indcheckxmin boolean NOT NULL,
    indisready boolean NOT NULL,
    indislive boolean NOT NULL,
    indisreplident boolean NOT NULL,
    indkey int2vector NOT NULL,
    indcollation oidvector NOT NULL,
    indclass oidvector NOT NULL,
    indoption int2vector NOT NULL,
    indexprs pg_node_tree COLLATE "C",
    indpred pg_node_tree COLLATE "C"
) WITH (oid = 2610, rowtype = 10007, arraytype = 10006, source = 'pg_index');

CREATE TABLE pg_catalog.pg_inherits (
    inhrelid oid NOT NULL,
    inhparent oid NOT NULL,
    inhseqno integer NOT NULL,
    inhdetachpending boolean NOT NULL
) WITH (oid = 2611, rowtype = 10005, arraytype = 10004, source = 'pg_inherits');

CREATE TABLE pg_catalog.pg_language (
    oid oid NOT NULL,
    lanname name COLLATE "C" NOT NULL,
    lanowner oid NOT NULL,
    lanispl boolean NOT NULL,
    lanpltrusted boolean NOT NULL,
    lanplcallfoid oid NOT NULL,
    laninline oid NOT NULL,
    lanvalidator oid NOT NULL,
    lanacl aclitem[]
) WITH (oid = 2612, rowtype = 10021, arraytype = 10020, source = 'data');

CREATE TABLE pg_catalog.pg_largeobject (
    loid oid NOT NULL,
    pageno integer NOT NULL,
    data bytea NOT NULL
) WITH (oid = 2613, rowtype = 10025, arraytype = 10024, source = 'none');

CREATE TABLE pg_catalog.pg_namespace (
    oid oid NOT NULL,
    nspname name COLLATE "C" NOT NULL,
    nspowner oid NOT NULL,
    nspacl aclitem[]
) WITH (oid = 2615, rowtype = 10047, arraytype = 10046, source = 'pg_namespace');

CREATE TABLE pg_catalog.pg_opclass (
    oid oid NOT NULL,
    opcmethod oid NOT NULL,
    opcname name COLLATE "C" NOT NULL,
    opcnamespace oid NOT NULL,
    opcowner oid NOT NULL,
    opcfamily oid NOT NULL,
    opcintype oid NOT NULL,
    opcdefault boolean NOT NULL,
    opckeytype oid NOT NULL
) WITH (oid = 2616, rowtype = 10013, arraytype = 10012, source = 'data');

CREATE TABLE pg_catalog.pg_operator (
    oid oid NOT NULL,
    oprname name COLLATE "C" NOT NULL,
    oprnamespace oid NOT NULL,
    oprowner oid NOT NULL,
    oprkind "char" NOT NULL,
    oprcanmerge boolean NOT NULL,
    oprcanhash boolean NOT NULL,
    oprleft oid NOT NULL,
    oprright oid NOT NULL,
    oprresult oid NOT NULL,
    oprcom oid NOT NULL,
    oprnegate oid NOT NULL,
    oprcode regproc NOT NULL,
    oprrest regproc NOT NULL,
    oprjoin regproc NOT NULL
) WITH (oid = 2617, rowtype = 10009, arraytype = 10008, source = 'pg_operator');

CREATE TABLE pg_catalog.pg_rewrite (
    oid oid NOT NULL,
    rulename name COLLATE "C" NOT NULL,
    ev_class oid NOT NULL,
    ev_type "char" NOT NULL,
    ev_enabled "char" NOT NULL,
    is_instead boolean NOT NULL,
    ev_qual pg_node_tree COLLATE "C" NOT NULL,
    ev_action pg_node_tree COLLATE "C" NOT NULL
) WITH (oid = 2618, rowtype = 10035, arraytype = 10034, source = 'pg_rewrite');

CREATE TABLE pg_catalog.pg_statistic (
    starelid oid NOT NULL,
    staattnum smallint NOT NULL,
    stainherit boolean NOT NULL,
    stanullfrac real NOT NULL,
    stawidth integer NOT NULL,
    stadistinct real NOT NULL,
    stakind1 smallint NOT NULL,
    stakind2 smallint NOT NULL,
    stakind3 smallint NOT NULL,
    stakind4 smallint NOT NULL,
    stakind5 smallint NOT NULL,
    staop1 oid NOT NULL,
    staop2 oid NOT NULL,
    staop3 oid NOT NULL,
    staop4 oid NOT NULL,
    staop5 oid NOT NULL,
    stacoll1 oid NOT NULL,
    stacoll2 oid NOT NULL,
    stacoll3 oid NOT NULL,
    stacoll4 oid NOT NULL,
    stacoll5 oid NOT NULL,
    stanumbers1 real[],
    stanumbers2 real[],
    stanumbers3 real[],
    stanumbers4 real[],
    stanumbers5 real[],
    stavalues1 anyarray,
    stavalues2 anyarray,
    stavalues3 anyarray,
    stavalues4 anyarray,
    stavalues5 anyarray
) WITH (oid = 2619, rowtype = 10029, arraytype = 10028, source = 'pg_statistic');

CREATE TABLE pg_catalog.pg_trigger (
    oid oid NOT NULL,
    tgrelid oid NOT NULL,
    tgparentid oid NOT NULL,
    tgname name COLLATE "C" NOT NULL,
    tgfoid oid NOT NULL,
    tgtype smallint NOT NULL,
    tgenabled "char" NOT NULL,
    tgisinternal boolean NOT NULL,
    tgconstrrelid oid NOT NULL,
    tgconstrindid oid NOT NULL,
    tgconstraint oid NOT NULL,
    tgdeferrable boolean NOT NULL,
    tginitdeferred boolean NOT NULL,
    tgnargs smallint NOT NULL,
    tgattr int2vector NOT NULL,
    tgargs bytea NOT NULL,
    tgqual pg_node_tree COLLATE "C",
    tgoldtable name COLLATE "C",
    tgnewtable name COLLATE "C"
) WITH (oid = 2620, rowtype = 10037, arraytype = 10036, source = 'none');

CREATE TABLE pg_catalog.pg_opfamily (
    oid oid NOT NULL,
    opfmethod oid NOT NULL,
    opfname name COLLATE "C" NOT NULL,
    opfnamespace oid NOT NULL,
    opfowner oid NOT NULL
) WITH (oid = 2753, rowtype = 10011, arraytype = 10010, source = 'data');

CREATE TABLE pg_catalog.pg_db_role_setting (
    setdatabase oid NOT NULL,
    setrole oid NOT NULL,
    setconfig text[] COLLATE "C"
) WITH (oid = 2964, rowtype = 10054, arraytype = 10053, shared = true, source = 'pg_db_role_setting');

CREATE TABLE pg_catalog.pg_largeobject_metadata (
    oid oid NOT NULL,
    lomowner oid NOT NULL,
    lomacl aclitem[]
) WITH (oid = 2995, rowtype = 10023, arraytype = 10022, source = 'none');

CREATE TABLE pg_catalog.pg_extension (
    oid oid NOT NULL,
    extname name COLLATE "C" NOT NULL,
    extowner oid NOT NULL,
    extnamespace oid NOT NULL,
    extrelocatable boolean NOT NULL,
    extversion text COLLATE "C" NOT NULL,
    extconfig oid[],
    extcondition text[] COLLATE "C"
) WITH (oid = 3079, rowtype = 10074, arraytype = 10073, source = 'pg_extension');

CREATE TABLE pg_catalog.pg_foreign_table (
    ftrelid oid NOT NULL,
    ftserver oid NOT NULL,
    ftoptions text[] COLLATE "C"
) WITH (oid = 3118, rowtype = 10082, arraytype = 10081, source = 'none');

CREATE TABLE pg_catalog.pg_policy (
    oid oid NOT NULL,
    polname name COLLATE "C" NOT NULL,
    polrelid oid NOT NULL,
    polcmd "char" NOT NULL,
    polpermissive boolean NOT NULL,
    polroles oid[] NOT NULL,
    polqual pg_node_tree COLLATE "C",
    polwithcheck pg_node_tree COLLATE "C"
) WITH (oid = 3256, rowtype = 10084, arraytype = 10083, source = 'none');

CREATE TABLE pg_catalog.pg_partitioned_table (
    partrelid oid NOT NULL,
    partstrat "char" NOT NULL,
    partnatts smallint NOT NULL,
    partdefid oid NOT NULL,
    partattrs int2vector NOT NULL,
    partclass oidvector NOT NULL,
    partcollation oidvector NOT NULL,
    partexprs pg_node_tree COLLATE "C"
) WITH (oid = 3350, rowtype = 10099, arraytype = 10098, source = 'none');

CREATE TABLE pg_catalog.pg_statistic_ext (
    oid oid NOT NULL,
    stxrelid oid NOT NULL,
    stxname name COLLATE "C" NOT NULL,
    stxnamespace oid NOT NULL,
    stxowner oid NOT NULL,
    stxstattarget integer NOT NULL,
    stxkeys int2vector NOT NULL,
    stxkind "char"[] NOT NULL,
    stxexprs pg_node_tree COLLATE "C"
) WITH (oid = 3381, rowtype = 10031, arraytype = 10030, source = 'none');

CREATE TABLE pg_catalog.pg_init_privs (
    objoid oid NOT NULL,
    classoid oid NOT NULL,
    objsubid integer NOT NULL,
    privtype "char" NOT NULL,
    initprivs aclitem[] NOT NULL
) WITH (oid = 3394, rowtype = 10090, arraytype = 10089, source = 'pg_init_privs');

CREATE TABLE pg_catalog.pg_statistic_ext_data (
    stxoid oid NOT NULL,
    stxdinherit boolean NOT NULL,
    stxdndistinct pg_ndistinct COLLATE "C",
    stxddependencies pg_dependencies COLLATE "C",
    stxdmcv pg_mcv_list COLLATE "C",
    stxdexpr pg_statistic[]
) WITH (oid = 3429, rowtype = 10033, arraytype = 10032, source = 'none');

CREATE TABLE pg_catalog.pg_collation (
    oid oid NOT NULL,
    collname name COLLATE "C" NOT NULL,
    collnamespace oid NOT NULL,
    collowner oid NOT NULL,
    collprovider "char" NOT NULL,
    collisdeterministic boolean NOT NULL,
    collencoding integer NOT NULL,
    collcollate text COLLATE "C",
    collctype text COLLATE "C",
    colliculocale text COLLATE "C",
    collversion text COLLATE "C"
) WITH (oid = 3456, rowtype = 10095, arraytype = 10094, source = 'data');

CREATE TABLE pg_catalog.pg_event_trigger (
    oid oid NOT NULL,
    evtname name COLLATE "C" NOT NULL,
    evtevent name COLLATE "C" NOT NULL,
    evtowner oid NOT NULL,
    evtfoid oid NOT NULL,
    evtenabled "char" NOT NULL,
    evttags text[] COLLATE "C"
) WITH (oid = 3466, rowtype = 10039, arraytype = 10038, source = 'none');

CREATE TABLE pg_catalog.pg_enum (
    oid oid NOT NULL,
    enumtypid oid NOT NULL,
    enumsortorder real NOT NULL,
    enumlabel name COLLATE "C" NOT NULL
) WITH (oid = 3501, rowtype = 10045, arraytype = 10044, source = 'pg_enum');

CREATE TABLE pg_catalog.pg_range (
    rngtypid oid NOT NULL,
    rngsubtype oid NOT NULL,
    rngmultitypid oid NOT NULL,
    rngcollation oid NOT NULL,
    rngsubopc oid NOT NULL,
    rngcanonical regproc NOT NULL,
    rngsubdiff regproc NOT NULL
) WITH (oid = 3541, rowtype = 10101, arraytype = 10100, source = 'data');

CREATE TABLE pg_catalog.pg_transform (
    oid oid NOT NULL,
    trftype oid NOT NULL,
    trflang oid NOT NULL,
    trffromsql regproc NOT NULL,
    trftosql regproc NOT NULL
) WITH (oid = 3576, rowtype = 10103, arraytype = 10102, source = 'none');

CREATE TABLE pg_catalog.pg_shseclabel (
    objoid oid NOT NULL,
    classoid oid NOT NULL,
    provider text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL
) WITH (oid = 3592, rowtype = 4066, arraytype = 10093, shared = true, source = 'none');

CREATE TABLE pg_catalog.pg_seclabel (
    objoid oid NOT NULL,
    classoid oid NOT NULL,
    objsubid integer NOT NULL,
    provider text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL
) WITH (oid = 3596, rowtype = 10092, arraytype = 10091, source = 'none');

CREATE TABLE pg_catalog.pg_ts_dict (
    oid oid NOT NULL,
    dictname name COLLATE "C" NOT NULL,
    dictnamespace oid NOT NULL,
    dictowner oid NOT NULL,
    dicttemplate oid NOT NULL,
    dictinitoption text COLLATE "C"
) WITH (oid = 3600, rowtype = 10068, arraytype = 10067, source = 'none');

CREATE TABLE pg_catalog.pg_ts_parser (
    oid oid NOT NULL,
    prsname name COLLATE "C" NOT NULL,
    prsnamespace oid NOT NULL,
    prsstart regproc NOT NULL,
    prstoken regproc NOT NULL,
    prsend regproc NOT NULL,
    prsheadline regproc NOT NULL,
    prslextype regproc NOT NULL
) WITH (oid = 3601, rowtype = 10070, arraytype = 10069, source = 'none');

CREATE TABLE pg_catalog.pg_ts_config (
    oid oid NOT NULL,
    cfgname name COLLATE "C" NOT NULL,
    cfgnamespace oid NOT NULL,
    cfgowner oid NOT NULL,
    cfgparser oid NOT NULL
) WITH (oid = 3602, rowtype = 10064, arraytype = 10063, source = 'none');

CREATE TABLE pg_catalog.pg_ts_config_map (
    mapcfg oid NOT NULL,
    maptokentype integer NOT NULL,
    mapseqno integer NOT NULL,
    mapdict oid NOT NULL
) WITH (oid = 3603, rowtype = 10066, arraytype = 10065, source = 'none');

CREATE TABLE pg_catalog.pg_ts_template (
    oid oid NOT NULL,
    tmplname name COLLATE "C" NOT NULL,
    tmplnamespace oid NOT NULL,
    tmplinit regproc NOT NULL,
    tmpllexize regproc NOT NULL
) WITH (oid = 3764, rowtype = 10072, arraytype = 10071, source = 'none');

CREATE TABLE pg_catalog.pg_replication_origin (
    roident oid NOT NULL,
    roname text COLLATE "C" NOT NULL
) WITH (oid = 6000, rowtype = 10086, arraytype = 10085, shared = true, source = 'none');

CREATE TABLE pg_catalog.pg_subscription (
    oid oid NOT NULL,
    subdbid oid NOT NULL,
    subskiplsn pg_lsn NOT NULL,
    subname name COLLATE "C" NOT NULL,
    subowner oid NOT NULL,
    subenabled boolean NOT NULL,
    subbinary boolean NOT NULL,
    substream boolean NOT NULL,
    subtwophasestate "char" NOT NULL,
    subdisableonerr boolean NOT NULL,
    subconninfo text COLLATE "C" NOT NULL,
    subslotname name COLLATE "C",
    subsynccommit text COLLATE "C" NOT NULL,
    subpublications text[] COLLATE "C" NOT NULL
) WITH (oid = 6100, rowtype = 6101, arraytype = 10112, shared = true, source = 'none');

CREATE TABLE pg_catalog.pg_subscription_rel (
    srsubid oid NOT NULL,
    srrelid oid NOT NULL,
    srsubstate "char" NOT NULL,
    srsublsn pg_lsn
) WITH (oid = 6102, rowtype = 10114, arraytype = 10113, source = 'none');

CREATE TABLE pg_catalog.pg_publication (
    oid oid NOT NULL,
    pubname name COLLATE "C" NOT NULL,
    pubowner oid NOT NULL,
    puballtables boolean NOT NULL,
    pubinsert boolean NOT NULL,
    pubupdate boolean NOT NULL,
    pubdelete boolean NOT NULL,
    pubtruncate boolean NOT NULL,
    pubviaroot boolean NOT NULL
) WITH (oid = 6104, rowtype = 10107, arraytype = 10106, source = 'none');

CREATE TABLE pg_catalog.pg_publication_rel (
    oid oid NOT NULL,
    prpubid oid NOT NULL,
    prrelid oid NOT NULL,
    prqual pg_node_tree COLLATE "C",
    prattrs int2vector
) WITH (oid = 6106, rowtype = 10111, arraytype = 10110, source = 'none');

CREATE TABLE pg_catalog.pg_publication_namespace (
    oid oid NOT NULL,
    pnpubid oid NOT NULL,
    pnnspid oid NOT NULL
) WITH (oid = 6237, rowtype = 10109, arraytype = 10108, source = 'none');

CREATE TABLE pg_catalog.pg_parameter_acl (
    oid oid NOT NULL,
    parname text COLLATE "C" NOT NULL,
    paracl aclitem[]
) WITH (oid = 6243, rowtype = 10097, arraytype = 10096, shared = true, source = 'none');

CREATE VIEW pg_catalog.pg_roles (
    rolname name COLLATE "C",
    rolsuper boolean,
    rolinherit boolean,
    rolcreaterole boolean,
    rolcreatedb boolean,
    rolcanlogin boolean,
    rolreplication boolean,
    rolconnlimit integer,
    rolpassword text,
    rolvaliduntil timestamp with time zone,
    rolbypassrls boolean,
    rolconfig text[] COLLATE "C",
    oid oid
) WITH (oid = 12000, rowtype = 12002, arraytype = 12001) AS
 SELECT pg_authid.rolname,
    pg_authid.rolsuper,
    pg_authid.rolinherit,
    pg_authid.rolcreaterole,
    pg_authid.rolcreatedb,
    pg_authid.rolcanlogin,
    pg_authid.rolreplication,
    pg_authid.rolconnlimit,
    '********'::text AS rolpassword,
    pg_authid.rolvaliduntil,
    pg_authid.rolbypassrls,
    s.setconfig AS rolconfig,
    pg_authid.oid
   FROM (pg_authid
     LEFT JOIN pg_db_role_setting s ON (((pg_authid.oid = s.setrole) AND (s.setdatabase = (0)::oid))));

CREATE VIEW pg_catalog.pg_shadow (
    usename name COLLATE "C",
    usesysid oid,
    usecreatedb boolean,
    usesuper boolean,
    userepl boolean,
    usebypassrls boolean,
    passwd text COLLATE "C",
    valuntil timestamp with time zone,
    useconfig text[] COLLATE "C"
) WITH (oid = 12005, rowtype = 12007, arraytype = 12006) AS
 SELECT pg_authid.rolname AS usename,
    pg_authid.oid AS usesysid,
    pg_authid.rolcreatedb AS usecreatedb,
    pg_authid.rolsuper AS usesuper,
    pg_authid.rolreplication AS userepl,
    pg_authid.rolbypassrls AS usebypassrls,
    pg_authid.rolpassword AS passwd,
    pg_authid.rolvaliduntil AS valuntil,
    s.setconfig AS useconfig
   FROM (pg_authid
     LEFT JOIN pg_db_role_setting s ON (((pg_authid.oid = s.setrole) AND (s.setdatabase = (0)::oid))))
  WHERE pg_authid.rolcanlogin;

CREATE VIEW pg_catalog.pg_group (
    groname name COLLATE "C",
    grosysid oid,
    grolist oid[]
) WITH (oid = 12010, rowtype = 12012, arraytype = 12011) AS
 SELECT pg_authid.rolname AS groname,
    pg_authid.oid AS grosysid,
    ARRAY( SELECT pg_auth_members.member
           FROM pg_auth_members
          WHERE (pg_auth_members.roleid = pg_authid.oid)) AS grolist
   FROM pg_authid
  WHERE (NOT pg_authid.rolcanlogin);

CREATE VIEW pg_catalog.pg_user (
    usename name COLLATE "C",
    usesysid oid,
    usecreatedb boolean,
    usesuper boolean,
    userepl boolean,
    usebypassrls boolean,
    passwd text,
    valuntil timestamp with time zone,
    useconfig text[] COLLATE "C"
) WITH (oid = 12014, rowtype = 12016, arraytype = 12015) AS
 SELECT pg_shadow.usename,
    pg_shadow.usesysid,
    pg_shadow.usecreatedb,
    pg_shadow.usesuper,
    pg_shadow.userepl,
    pg_shadow.usebypassrls,
    '********'::text AS passwd,
    pg_shadow.valuntil,
    pg_shadow.useconfig
   FROM pg_shadow;

CREATE VIEW pg_catalog.pg_policies (
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    policyname name COLLATE "C",
    permissive text,
    roles name[] COLLATE "C",
    cmd text,
    qual text COLLATE "C",
    with_check text COLLATE "C"
) WITH (oid = 12018, rowtype = 12020, arraytype = 12019) AS
 SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    pol.polname AS policyname,
        CASE
            WHEN pol.polpermissive THEN 'PERMISSIVE'::text
            ELSE 'RESTRICTIVE'::text
        END AS permissive,
        CASE
            WHEN (pol.polroles = '{0}'::oid[]) THEN (string_to_array('public'::text, ''::text))::name[]
            ELSE ARRAY( SELECT pg_authid.rolname
               FROM pg_authid
              WHERE (pg_authid.oid = ANY (pol.polroles))
              ORDER BY pg_authid.rolname)
        END AS roles,
        CASE pol.polcmd
            WHEN 'r'::"char" THEN 'SELECT'::text
            WHEN 'a'::"char" THEN 'INSERT'::text
            WHEN 'w'::"char" THEN 'UPDATE'::text
            WHEN 'd'::"char" THEN 'DELETE'::text
            WHEN '*'::"char" THEN 'ALL'::text
            ELSE NULL::text
        END AS cmd,
    pg_get_expr(pol.polqual, pol.polrelid) AS qual,
    pg_get_expr(pol.polwithcheck, pol.polrelid) AS with_check
   FROM ((pg_policy pol
     JOIN pg_class c ON ((c.oid = pol.polrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)));

CREATE VIEW pg_catalog.pg_rules (
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    rulename name COLLATE "C",
    definition text
) WITH (oid = 12023, rowtype = 12025, arraytype = 12024) AS
 SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    r.rulename,
    pg_get_ruledef(r.oid) AS definition
   FROM ((pg_rewrite r
     JOIN pg_class c ON ((c.oid = r.ev_class)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (r.rulename <> '_RETURN'::name);

CREATE VIEW pg_catalog.pg_views (
    schemaname name COLLATE "C",
    viewname name COLLATE "C",
    viewowner name COLLATE "C",
    definition text
) WITH (oid = 12028, rowtype = 12030, arraytype = 12029) AS
 SELECT n.nspname AS schemaname,
    c.relname AS viewname,
    pg_get_userbyid(c.relowner) AS viewowner,
    pg_get_viewdef(c.oid) AS definition
   FROM (pg_class c
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
  WHERE (c.relkind = 'v'::"char");

CREATE VIEW pg_catalog.pg_tables (
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    tableowner name COLLATE "C",
    tablespace name COLLATE "C",
    hasindexes boolean,
    hasrules boolean,
    hastriggers boolean,
    rowsecurity boolean
) WITH (oid = 12033, rowtype = 12035, arraytype = 12034) AS
 SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    pg_get_userbyid(c.relowner) AS tableowner,
    t.spcname AS tablespace,
    c.relhasindex AS hasindexes,
    c.relhasrules AS hasrules,
    c.relhastriggers AS hastriggers,
    c.relrowsecurity AS rowsecurity
   FROM ((pg_class c
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
     LEFT JOIN pg_tablespace t ON ((t.oid = c.reltablespace)))
  WHERE (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char"]));

CREATE VIEW pg_catalog.pg_matviews (
    schemaname name COLLATE "C",
    matviewname name COLLATE "C",
    matviewowner name COLLATE "C",
    tablespace name COLLATE "C",
    hasindexes boolean,
    ispopulated boolean,
    definition text
) WITH (oid = 12038, rowtype = 12040, arraytype = 12039) AS
 SELECT n.nspname AS schemaname,
    c.relname AS matviewname,
    pg_get_userbyid(c.relowner) AS matviewowner,
    t.spcname AS tablespace,
    c.relhasindex AS hasindexes,
    c.relispopulated AS ispopulated,
    pg_get_viewdef(c.oid) AS definition
   FROM ((pg_class c
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
     LEFT JOIN pg_tablespace t ON ((t.oid = c.reltablespace)))
  WHERE (c.relkind = 'm'::"char");

CREATE VIEW pg_catalog.pg_indexes (
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    indexname name COLLATE "C",
    tablespace name COLLATE "C",
    indexdef text
) WITH (oid = 12043, rowtype = 12045, arraytype = 12044) AS
 SELECT n.nspname AS schemaname,
    c.relname AS tablename,
    i.relname AS indexname,
    t.spcname AS tablespace,
    pg_get_indexdef(i.oid) AS indexdef
   FROM ((((pg_index x
     JOIN pg_class c ON ((c.oid = x.indrelid)))
     JOIN pg_class i ON ((i.oid = x.indexrelid)))
     LEFT JOIN pg_namespace n ON ((n.oid = c.relnamespace)))
     LEFT JOIN pg_tablespace t ON ((t.oid = i.reltablespace)))
  WHERE ((c.relkind = ANY (ARRAY['r'::"char", 'm'::"char", 'p'::"char"])) AND (i.relkind = ANY (ARRAY['i'::"char", 'I'::"char"])));

CREATE VIEW pg_catalog.pg_sequences (
    schemaname name COLLATE "C",
    sequencename name COLLATE "C",
    sequenceowner name COLLATE "C",
    data_type regtype,
    start_value bigint,
    min_value bigint,
    max_value bigint,
    increment_by bigint,
    cycle boolean,
    cache_size bigint,
    last_value bigint
) WITH (oid = 12048, rowtype = 12050, arraytype = 12049, source = 'pg_sequences');

CREATE VIEW pg_catalog.pg_stats (
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    attname name COLLATE "C",
    inherited boolean,
    null_frac real,
    avg_width integer,
    n_distinct real,
    most_common_vals anyarray,
    most_common_freqs real[],
    histogram_bounds anyarray,
    correlation real,
    most_common_elems anyarray,
    most_common_elem_freqs real[],
    elem_count_histogram real[]
) WITH (oid = 12053, rowtype = 12055, arraytype = 12054, source = 'pg_stats');

CREATE VIEW pg_catalog.pg_stats_ext (
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    statistics_schemaname name COLLATE "C",
    statistics_name name COLLATE "C",
    statistics_owner name COLLATE "C",
    attnames name[] COLLATE "C",
    exprs text[],
    kinds "char"[],
    inherited boolean,
    n_distinct pg_ndistinct COLLATE "C",
    dependencies pg_dependencies COLLATE "C",
    most_common_vals text[],
    most_common_val_nulls boolean[],
    most_common_freqs double precision[],
    most_common_base_freqs double precision[]
) WITH (oid = 12058, rowtype = 12060, arraytype = 12059, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stats_ext_exprs (
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    statistics_schemaname name COLLATE "C",
    statistics_name name COLLATE "C",
    statistics_owner name COLLATE "C",
    expr text,
    inherited boolean,
    null_frac real,
    avg_width integer,
    n_distinct real,
    most_common_vals anyarray,
    most_common_freqs real[],
    histogram_bounds anyarray,
    correlation real,
    most_common_elems anyarray,
    most_common_elem_freqs real[],
    elem_count_histogram real[]
) WITH (oid = 12063, rowtype = 12065, arraytype = 12064, source = 'unsupported');

CREATE VIEW pg_catalog.pg_publication_tables (
    pubname name COLLATE "C",
    schemaname name COLLATE "C",
    tablename name COLLATE "C",
    attnames name[] COLLATE "C",
    rowfilter text
) WITH (oid = 12068, rowtype = 12070, arraytype = 12069, source = 'none');

CREATE VIEW pg_catalog.pg_locks (
    locktype text,
    database oid,
    relation oid,
    page integer,
    tuple smallint,
    virtualxid text,
    transactionid xid,
    classid oid,
    objid oid,
    objsubid smallint,
    virtualtransaction text,
    pid integer,
    mode text,
    granted boolean,
    fastpath boolean,
    waitstart timestamp with time zone
) WITH (oid = 12073, rowtype = 12075, arraytype = 12074, source = 'pg_locks');

CREATE VIEW pg_catalog.pg_cursors (
    name text,
    statement text,
    is_holdable boolean,
    is_binary boolean,
    is_scrollable boolean,
    creation_time timestamp with time zone
) WITH (oid = 12077, rowtype = 12079, arraytype = 12078, source = 'pg_cursors');

CREATE VIEW pg_catalog.pg_available_extensions (
    name name COLLATE "C",
    default_version text,
    installed_version text COLLATE "C",
    comment text
) WITH (oid = 12081, rowtype = 12083, arraytype = 12082, source = 'none');

CREATE VIEW pg_catalog.pg_available_extension_versions (
    name name COLLATE "C",
    version text,
    installed boolean,
    superuser boolean,
    trusted boolean,
    relocatable boolean,
    schema name COLLATE "C",
    requires name[] COLLATE "C",
    comment text
) WITH (oid = 12085, rowtype = 12087, arraytype = 12086, source = 'none');

CREATE VIEW pg_catalog.pg_prepared_xacts (
    transaction xid,
    gid text,
    prepared timestamp with time zone,
    owner name COLLATE "C",
    database name COLLATE "C"
) WITH (oid = 12090, rowtype = 12092, arraytype = 12091, source = 'pg_prepared_xacts');

CREATE VIEW pg_catalog.pg_prepared_statements (
    name text,
    statement text,
    prepare_time timestamp with time zone,
    parameter_types regtype[],
    from_sql boolean,
    generic_plans bigint,
    custom_plans bigint
) WITH (oid = 12095, rowtype = 12097, arraytype = 12096, source = 'pg_prepared_statements');

CREATE VIEW pg_catalog.pg_seclabels (
    objoid oid,
    classoid oid,
    objsubid integer,
    objtype text,
    objnamespace oid,
    objname text COLLATE "C",
    provider text COLLATE "C",
    label text COLLATE "C"
) WITH (oid = 12099, rowtype = 12101, arraytype = 12100, source = 'none');

CREATE VIEW pg_catalog.pg_settings (
    name text,
    setting text,
    unit text,
    category text,
    short_desc text,
    extra_desc text,
    context text,
    vartype text,
    source text,
    min_val text,
    max_val text,
    enumvals text[],
    boot_val text,
    reset_val text,
    sourcefile text,
    sourceline integer,
    pending_restart boolean
) WITH (oid = 12104, rowtype = 12106, arraytype = 12105, source = 'pg_settings');

CREATE VIEW pg_catalog.pg_file_settings (
    sourcefile text,
    sourceline integer,
    seqno integer,
    name text,
    setting text,
    applied boolean,
    error text
) WITH (oid = 12110, rowtype = 12112, arraytype = 12111, source = 'unsupported');

CREATE VIEW pg_catalog.pg_hba_file_rules (
    line_number integer,
    type text,
    database text[],
    user_name text[],
    address text,
    netmask text,
    auth_method text,
    options text[],
    error text
) WITH (oid = 12114, rowtype = 12116, arraytype = 12115, source = 'unsupported');

CREATE VIEW pg_catalog.pg_ident_file_mappings (
    line_number integer,
    map_name text,
    sys_name text,
    pg_username text,
    error text
) WITH (oid = 12118, rowtype = 12120, arraytype = 12119, source = 'unsupported');

CREATE VIEW pg_catalog.pg_timezone_abbrevs (
    abbrev text,
    utc_offset interval,
    is_dst boolean
) WITH (oid = 12122, rowtype = 12124, arraytype = 12123, source = 'pg_timezone_abbrevs');

CREATE VIEW pg_catalog.pg_timezone_names (
    name text,
    abbrev text,
    utc_offset interval,
    is_dst boolean
) WITH (oid = 12126, rowtype = 12128, arraytype = 12127, source = 'pg_timezone_names');

CREATE VIEW pg_catalog.pg_config (
    name text,
    setting text
) WITH (oid = 12130, rowtype = 12132, arraytype = 12131, source = 'pg_config');

CREATE VIEW pg_catalog.pg_shmem_allocations (
    name text,
    off bigint,
    size bigint,
    allocated_size bigint
) WITH (oid = 12134, rowtype = 12136, arraytype = 12135, source = 'unsupported');

CREATE VIEW pg_catalog.pg_backend_memory_contexts (
    name text,
    ident text,
    parent text,
    level integer,
    total_bytes bigint,
    total_nblocks bigint,
    free_bytes bigint,
    free_chunks bigint,
    used_bytes bigint
) WITH (oid = 12138, rowtype = 12140, arraytype = 12139, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_all_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    seq_scan bigint,
    seq_tup_read bigint,
    idx_scan bigint,
    idx_tup_fetch bigint,
    n_tup_ins bigint,
    n_tup_upd bigint,
    n_tup_del bigint,
    n_tup_hot_upd bigint,
    n_live_tup bigint,
    n_dead_tup bigint,
    n_mod_since_analyze bigint,
    n_ins_since_vacuum bigint,
    last_vacuum timestamp with time zone,
    last_autovacuum timestamp with time zone,
    last_analyze timestamp with time zone,
    last_autoanalyze timestamp with time zone,
    vacuum_count bigint,
    autovacuum_count bigint,
    analyze_count bigint,
    autoanalyze_count bigint
) WITH (oid = 12142, rowtype = 12144, arraytype = 12143, source = 'pg_stat_all_tables');

CREATE VIEW pg_catalog.pg_stat_xact_all_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    seq_scan bigint,
    seq_tup_read bigint,
    idx_scan bigint,
    idx_tup_fetch bigint,
    n_tup_ins bigint,
    n_tup_upd bigint,
    n_tup_del bigint,
    n_tup_hot_upd bigint
) WITH (oid = 12147, rowtype = 12149, arraytype = 12148, source = 'pg_stat_xact_all_tables');

CREATE VIEW pg_catalog.pg_stat_sys_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    seq_scan bigint,
    seq_tup_read bigint,
    idx_scan bigint,
    idx_tup_fetch bigint,
    n_tup_ins bigint,
    n_tup_upd bigint,
    n_tup_del bigint,
    n_tup_hot_upd bigint,
    n_live_tup bigint,
    n_dead_tup bigint,
    n_mod_since_analyze bigint,
    n_ins_since_vacuum bigint,
    last_vacuum timestamp with time zone,
    last_autovacuum timestamp with time zone,
    last_analyze timestamp with time zone,
    last_autoanalyze timestamp with time zone,
    vacuum_count bigint,
    autovacuum_count bigint,
    analyze_count bigint,
    autoanalyze_count bigint
) WITH (oid = 12152, rowtype = 12154, arraytype = 12153, source = 'pg_stat_sys_tables');

CREATE VIEW pg_catalog.pg_stat_xact_sys_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    seq_scan bigint,
    seq_tup_read bigint,
    idx_scan bigint,
    idx_tup_fetch bigint,
    n_tup_ins bigint,
    n_tup_upd bigint,
    n_tup_del bigint,
    n_tup_hot_upd bigint
) WITH (oid = 12157, rowtype = 12159, arraytype = 12158, source = 'none');

CREATE VIEW pg_catalog.pg_stat_user_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    seq_scan bigint,
    seq_tup_read bigint,
    idx_scan bigint,
    idx_tup_fetch bigint,
    n_tup_ins bigint,
    n_tup_upd bigint,
    n_tup_del bigint,
    n_tup_hot_upd bigint,
    n_live_tup bigint,
    n_dead_tup bigint,
    n_mod_since_analyze bigint,
    n_ins_since_vacuum bigint,
    last_vacuum timestamp with time zone,
    last_autovacuum timestamp with time zone,
    last_analyze timestamp with time zone,
    last_autoanalyze timestamp with time zone,
    vacuum_count bigint,
    autovacuum_count bigint,
    analyze_count bigint,
    autoanalyze_count bigint
) WITH (oid = 12161, rowtype = 12163, arraytype = 12162, source = 'pg_stat_user_tables');

CREATE VIEW pg_catalog.pg_stat_xact_user_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    seq_scan bigint,
    seq_tup_read bigint,
    idx_scan bigint,
    idx_tup_fetch bigint,
    n_tup_ins bigint,
    n_tup_upd bigint,
    n_tup_del bigint,
    n_tup_hot_upd bigint
) WITH (oid = 12166, rowtype = 12168, arraytype = 12167, source = 'pg_stat_xact_user_tables');

CREATE VIEW pg_catalog.pg_statio_all_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    heap_blks_read bigint,
    heap_blks_hit bigint,
    idx_blks_read bigint,
    idx_blks_hit bigint,
    toast_blks_read bigint,
    toast_blks_hit bigint,
    tidx_blks_read bigint,
    tidx_blks_hit bigint
) WITH (oid = 12170, rowtype = 12172, arraytype = 12171, source = 'pg_statio_all_tables');

CREATE VIEW pg_catalog.pg_statio_sys_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    heap_blks_read bigint,
    heap_blks_hit bigint,
    idx_blks_read bigint,
    idx_blks_hit bigint,
    toast_blks_read bigint,
    toast_blks_hit bigint,
    tidx_blks_read bigint,
    tidx_blks_hit bigint
) WITH (oid = 12175, rowtype = 12177, arraytype = 12176, source = 'pg_statio_sys_tables');

CREATE VIEW pg_catalog.pg_statio_user_tables (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    heap_blks_read bigint,
    heap_blks_hit bigint,
    idx_blks_read bigint,
    idx_blks_hit bigint,
    toast_blks_read bigint,
    toast_blks_hit bigint,
    tidx_blks_read bigint,
    tidx_blks_hit bigint
) WITH (oid = 12179, rowtype = 12181, arraytype = 12180, source = 'pg_statio_user_tables');

CREATE VIEW pg_catalog.pg_stat_all_indexes (
    relid oid,
    indexrelid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    indexrelname name COLLATE "C",
    idx_scan bigint,
    idx_tup_read bigint,
    idx_tup_fetch bigint
) WITH (oid = 12183, rowtype = 12185, arraytype = 12184, source = 'pg_stat_all_indexes');

CREATE VIEW pg_catalog.pg_stat_sys_indexes (
    relid oid,
    indexrelid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    indexrelname name COLLATE "C",
    idx_scan bigint,
    idx_tup_read bigint,
    idx_tup_fetch bigint
) WITH (oid = 12188, rowtype = 12190, arraytype = 12189, source = 'pg_stat_sys_indexes');

CREATE VIEW pg_catalog.pg_stat_user_indexes (
    relid oid,
    indexrelid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    indexrelname name COLLATE "C",
    idx_scan bigint,
    idx_tup_read bigint,
    idx_tup_fetch bigint
) WITH (oid = 12192, rowtype = 12194, arraytype = 12193, source = 'pg_stat_user_indexes');

CREATE VIEW pg_catalog.pg_statio_all_indexes (
    relid oid,
    indexrelid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    indexrelname name COLLATE "C",
    idx_blks_read bigint,
    idx_blks_hit bigint
) WITH (oid = 12196, rowtype = 12198, arraytype = 12197, source = 'pg_statio_all_indexes');

CREATE VIEW pg_catalog.pg_statio_sys_indexes (
    relid oid,
    indexrelid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    indexrelname name COLLATE "C",
    idx_blks_read bigint,
    idx_blks_hit bigint
) WITH (oid = 12201, rowtype = 12203, arraytype = 12202, source = 'pg_statio_sys_indexes');

CREATE VIEW pg_catalog.pg_statio_user_indexes (
    relid oid,
    indexrelid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    indexrelname name COLLATE "C",
    idx_blks_read bigint,
    idx_blks_hit bigint
) WITH (oid = 12205, rowtype = 12207, arraytype = 12206, source = 'pg_statio_user_indexes');

CREATE VIEW pg_catalog.pg_statio_all_sequences (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    blks_read bigint,
    blks_hit bigint
) WITH (oid = 12209, rowtype = 12211, arraytype = 12210, source = 'pg_statio_all_sequences');

CREATE VIEW pg_catalog.pg_statio_sys_sequences (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    blks_read bigint,
    blks_hit bigint
) WITH (oid = 12214, rowtype = 12216, arraytype = 12215, source = 'none');

CREATE VIEW pg_catalog.pg_statio_user_sequences (
    relid oid,
    schemaname name COLLATE "C",
    relname name COLLATE "C",
    blks_read bigint,
    blks_hit bigint
) WITH (oid = 12218, rowtype = 12220, arraytype = 12219, source = 'pg_statio_user_sequences');

CREATE VIEW pg_catalog.pg_stat_activity (
    datid oid,
    datname name COLLATE "C",
    pid integer,
    leader_pid integer,
    usesysid oid,
    usename name COLLATE "C",
    application_name text,
    client_addr inet,
    client_hostname text,
    client_port integer,
    backend_start timestamp with time zone,
    xact_start timestamp with time zone,
    query_start timestamp with time zone,
    state_change timestamp with time zone,
    wait_event_type text,
    wait_event text,
    state text,
    backend_xid xid,
    backend_xmin xid,
    query_id bigint,
    query text,
    backend_type text
) WITH (oid = 12222, rowtype = 12224, arraytype = 12223, source = 'pg_stat_activity');

CREATE VIEW pg_catalog.pg_stat_replication (
    pid integer,
    usesysid oid,
    usename name COLLATE "C",
    application_name text,
    client_addr inet,
    client_hostname text,
    client_port integer,
    backend_start timestamp with time zone,
    backend_xmin xid,
    state text,
    sent_lsn pg_lsn,
    write_lsn pg_lsn,
    flush_lsn pg_lsn,
    replay_lsn pg_lsn,
    write_lag interval,
    flush_lag interval,
    replay_lag interval,
    sync_priority integer,
    sync_state text,
    reply_time timestamp with time zone
) WITH (oid = 12227, rowtype = 12229, arraytype = 12228, source = 'none');

CREATE VIEW pg_catalog.pg_stat_slru (
    name text,
    blks_zeroed bigint,
    blks_hit bigint,
    blks_read bigint,
    blks_written bigint,
    blks_exists bigint,
    flushes bigint,
    truncates bigint,
    stats_reset timestamp with time zone
) WITH (oid = 12232, rowtype = 12234, arraytype = 12233, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_wal_receiver (
    pid integer,
    status text,
    receive_start_lsn pg_lsn,
    receive_start_tli integer,
    written_lsn pg_lsn,
    flushed_lsn pg_lsn,
    received_tli integer,
    last_msg_send_time timestamp with time zone,
    last_msg_receipt_time timestamp with time zone,
    latest_end_lsn pg_lsn,
    latest_end_time timestamp with time zone,
    slot_name text,
    sender_host text,
    sender_port integer,
    conninfo text
) WITH (oid = 12236, rowtype = 12238, arraytype = 12237, source = 'none');

CREATE VIEW pg_catalog.pg_stat_recovery_prefetch (
    stats_reset timestamp with time zone,
    prefetch bigint,
    hit bigint,
    skip_init bigint,
    skip_new bigint,
    skip_fpw bigint,
    skip_rep bigint,
    wal_distance integer,
    block_distance integer,
    io_depth integer
) WITH (oid = 12240, rowtype = 12242, arraytype = 12241, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_subscription (
    subid oid,
    subname name COLLATE "C",
    pid integer,
    relid oid,
    received_lsn pg_lsn,
    last_msg_send_time timestamp with time zone,
    last_msg_receipt_time timestamp with time zone,
    latest_end_lsn pg_lsn,
    latest_end_time timestamp with time zone
) WITH (oid = 12244, rowtype = 12246, arraytype = 12245, source = 'none');

CREATE VIEW pg_catalog.pg_stat_ssl (
    pid integer,
    ssl boolean,
    version text,
    cipher text,
    bits integer,
    client_dn text,
    client_serial numeric,
    issuer_dn text
) WITH (oid = 12249, rowtype = 12251, arraytype = 12250, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_gssapi (
    pid integer,
    gss_authenticated boolean,
    principal text,
    encrypted boolean
) WITH (oid = 12253, rowtype = 12255, arraytype = 12254, source = 'unsupported');

CREATE VIEW pg_catalog.pg_replication_slots (
    slot_name name COLLATE "C",
    plugin name COLLATE "C",
    slot_type text,
    datoid oid,
    database name COLLATE "C",
    temporary boolean,
    active boolean,
    active_pid integer,
    xmin xid,
    catalog_xmin xid,
    restart_lsn pg_lsn,
    confirmed_flush_lsn pg_lsn,
    wal_status text,
    safe_wal_size bigint,
    two_phase boolean
) WITH (oid = 12257, rowtype = 12259, arraytype = 12258, source = 'none');

CREATE VIEW pg_catalog.pg_stat_replication_slots (
    slot_name text,
    spill_txns bigint,
    spill_count bigint,
    spill_bytes bigint,
    stream_txns bigint,
    stream_count bigint,
    stream_bytes bigint,
    total_txns bigint,
    total_bytes bigint,
    stats_reset timestamp with time zone
) WITH (oid = 12262, rowtype = 12264, arraytype = 12263, source = 'none');

CREATE VIEW pg_catalog.pg_stat_database (
    datid oid,
    datname name COLLATE "C",
    numbackends integer,
    xact_commit bigint,
    xact_rollback bigint,
    blks_read bigint,
    blks_hit bigint,
    tup_returned bigint,
    tup_fetched bigint,
    tup_inserted bigint,
    tup_updated bigint,
    tup_deleted bigint,
    conflicts bigint,
    temp_files bigint,
    temp_bytes bigint,
    deadlocks bigint,
    checksum_failures bigint,
    checksum_last_failure timestamp with time zone,
    blk_read_time double precision,
    blk_write_time double precision,
    session_time double precision,
    active_time double precision,
    idle_in_transaction_time double precision,
    sessions bigint,
    sessions_abandoned bigint,
    sessions_fatal bigint,
    sessions_killed bigint,
    stats_reset timestamp with time zone
) WITH (oid = 12266, rowtype = 12268, arraytype = 12267, source = 'pg_stat_database');

CREATE VIEW pg_catalog.pg_stat_database_conflicts (
    datid oid,
    datname name COLLATE "C",
    confl_tablespace bigint,
    confl_lock bigint,
    confl_snapshot bigint,
    confl_bufferpin bigint,
    confl_deadlock bigint
) WITH (oid = 12271, rowtype = 12273, arraytype = 12272, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_user_functions (
    funcid oid,
    schemaname name COLLATE "C",
    funcname name COLLATE "C",
    calls bigint,
    total_time double precision,
    self_time double precision
) WITH (oid = 12275, rowtype = 12277, arraytype = 12276, source = 'none');

CREATE VIEW pg_catalog.pg_stat_xact_user_functions (
    funcid oid,
    schemaname name COLLATE "C",
    funcname name COLLATE "C",
    calls bigint,
    total_time double precision,
    self_time double precision
) WITH (oid = 12280, rowtype = 12282, arraytype = 12281, source = 'none');

CREATE VIEW pg_catalog.pg_stat_archiver (
    archived_count bigint,
    last_archived_wal text,
    last_archived_time timestamp with time zone,
    failed_count bigint,
    last_failed_wal text,
    last_failed_time timestamp with time zone,
    stats_reset timestamp with time zone
) WITH (oid = 12285, rowtype = 12287, arraytype = 12286, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_bgwriter (
    checkpoints_timed bigint,
    checkpoints_req bigint,
    checkpoint_write_time double precision,
    checkpoint_sync_time double precision,
    buffers_checkpoint bigint,
    buffers_clean bigint,
    maxwritten_clean bigint,
    buffers_backend bigint,
    buffers_backend_fsync bigint,
    buffers_alloc bigint,
    stats_reset timestamp with time zone
) WITH (oid = 12289, rowtype = 12291, arraytype = 12290, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_wal (
    wal_records bigint,
    wal_fpi bigint,
    wal_bytes numeric,
    wal_buffers_full bigint,
    wal_write bigint,
    wal_sync bigint,
    wal_write_time double precision,
    wal_sync_time double precision,
    stats_reset timestamp with time zone
) WITH (oid = 12293, rowtype = 12295, arraytype = 12294, source = 'unsupported');

CREATE VIEW pg_catalog.pg_stat_progress_analyze (
    pid integer,
    datid oid,
    datname name COLLATE "C",
    relid oid,
    phase text,
    sample_blks_total bigint,
    sample_blks_scanned bigint,
    ext_stats_total bigint,
    ext_stats_computed bigint,
    child_tables_total bigint,
    child_tables_done bigint,
    current_child_table_relid oid
) WITH (oid = 12297, rowtype = 12299, arraytype = 12298, source = 'none');

CREATE VIEW pg_catalog.pg_stat_progress_vacuum (
    pid integer,
    datid oid,
    datname name COLLATE "C",
    relid oid,
    phase text,
    heap_blks_total bigint,
    heap_blks_scanned bigint,
    heap_blks_vacuumed bigint,
    index_vacuum_count bigint,
    max_dead_tuples bigint,
    num_dead_tuples bigint
) WITH (oid = 12302, rowtype = 12304, arraytype = 12303, source = 'none');

CREATE VIEW pg_catalog.pg_stat_progress_cluster (
    pid integer,
    datid oid,
    datname name COLLATE "C",
    relid oid,
    command text,
    phase text,
    cluster_index_relid oid,
    heap_tuples_scanned bigint,
    heap_tuples_written bigint,
    heap_blks_total bigint,
    heap_blks_scanned bigint,
    index_rebuild_count bigint
) WITH (oid = 12307, rowtype = 12309, arraytype = 12308, source = 'none');

CREATE VIEW pg_catalog.pg_stat_progress_create_index (
    pid integer,
    datid oid,
    datname name COLLATE "C",
    relid oid,
    index_relid oid,
    command text,
    phase text,
    lockers_total bigint,
    lockers_done bigint,
    current_locker_pid bigint,
    blocks_total bigint,
    blocks_done bigint,
    tuples_total bigint,
    tuples_done bigint,
    partitions_total bigint,
    partitions_done bigint
) WITH (oid = 12312, rowtype = 12314, arraytype = 12313, source = 'none');

CREATE VIEW pg_catalog.pg_stat_progress_basebackup (
    pid integer,
    phase text,
    backup_total bigint,
    backup_streamed bigint,
    tablespaces_total bigint,
    tablespaces_streamed bigint
) WITH (oid = 12317, rowtype = 12319, arraytype = 12318, source = 'none');

CREATE VIEW pg_catalog.pg_stat_progress_copy (
    pid integer,
    datid oid,
    datname name COLLATE "C",
    relid oid,
    command text,
    type text,
    bytes_processed bigint,
    bytes_total bigint,
    tuples_processed bigint,
    tuples_excluded bigint
) WITH (oid = 12322, rowtype = 12324, arraytype = 12323, source = 'none');

CREATE VIEW pg_catalog.pg_user_mappings (
    umid oid,
    srvid oid,
    srvname name COLLATE "C",
    umuser oid,
    usename name COLLATE "C",
    umoptions text[] COLLATE "C"
) WITH (oid = 12327, rowtype = 12329, arraytype = 12328, source = 'none');

CREATE VIEW pg_catalog.pg_replication_origin_status (
    local_id oid,
    external_id text,
    remote_lsn pg_lsn,
    local_lsn pg_lsn
) WITH (oid = 12332, rowtype = 12334, arraytype = 12333, source = 'none');

CREATE VIEW pg_catalog.pg_stat_subscription_stats (
    subid oid,
    subname name COLLATE "C",
    apply_error_count bigint,
    sync_error_count bigint,
    stats_reset timestamp with time zone
) WITH (oid = 12336, rowtype = 12338, arraytype = 12337, source = 'none');
