-- The information schema of PostgreSQL 15. Written by generate.py.

CREATE DOMAIN information_schema.cardinal_number AS integer WITH (oid = 13221, arraytype = 13220);

CREATE DOMAIN information_schema.character_data AS character varying WITH (oid = 13224, arraytype = 13223);

CREATE DOMAIN information_schema.sql_identifier AS name WITH (oid = 13226, arraytype = 13225);

CREATE DOMAIN information_schema.time_stamp AS timestamp(2) with time zone WITH (oid = 13232, arraytype = 13231);

CREATE DOMAIN information_schema.yes_or_no AS character varying(3) WITH (oid = 13234, arraytype = 13233);

CREATE VIEW information_schema.information_schema_catalog_name (
    catalog_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13227, rowtype = 13229, arraytype = 13228, source = 'information_schema.information_schema_catalog_name');

CREATE VIEW information_schema.applicable_roles (
    grantee information_schema.sql_identifier COLLATE "C",
    role_name information_schema.sql_identifier COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13236, rowtype = 13238, arraytype = 13237, source = 'information_schema.applicable_roles');

CREATE VIEW information_schema.administrable_role_authorizations (
    grantee information_schema.sql_identifier COLLATE "C",
    role_name information_schema.sql_identifier COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13241, rowtype = 13243, arraytype = 13242, source = 'none');

CREATE VIEW information_schema.attributes (
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    attribute_name information_schema.sql_identifier COLLATE "C",
    ordinal_position information_schema.cardinal_number,
    attribute_default information_schema.character_data COLLATE "C",
    is_nullable information_schema.yes_or_no COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    character_maximum_length information_schema.cardinal_number,
    character_octet_length information_schema.cardinal_number,
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    datetime_precision information_schema.cardinal_number,
    interval_type information_schema.character_data COLLATE "C",
    interval_precision information_schema.cardinal_number,
    attribute_udt_catalog information_schema.sql_identifier COLLATE "C",
    attribute_udt_schema information_schema.sql_identifier COLLATE "C",
    attribute_udt_name information_schema.sql_identifier COLLATE "C",
    scope_catalog information_schema.sql_identifier COLLATE "C",
    scope_schema information_schema.sql_identifier COLLATE "C",
    scope_name information_schema.sql_identifier COLLATE "C",
    maximum_cardinality information_schema.cardinal_number,
    dtd_identifier information_schema.sql_identifier COLLATE "C",
    is_derived_reference_attribute information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13245, rowtype = 13247, arraytype = 13246, source = 'none');

CREATE VIEW information_schema.character_sets (
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    character_repertoire information_schema.sql_identifier COLLATE "C",
    form_of_use information_schema.sql_identifier COLLATE "C",
    default_collate_catalog information_schema.sql_identifier COLLATE "C",
    default_collate_schema information_schema.sql_identifier COLLATE "C",
    default_collate_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13250, rowtype = 13252, arraytype = 13251, source = 'information_schema.character_sets');

CREATE VIEW information_schema.check_constraint_routine_usage (
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C",
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13255, rowtype = 13257, arraytype = 13256, source = 'none');

CREATE VIEW information_schema.check_constraints (
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C",
    check_clause information_schema.character_data COLLATE "C"
) WITH (oid = 13260, rowtype = 13262, arraytype = 13261, source = 'information_schema.check_constraints');

CREATE VIEW information_schema.collations (
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    pad_attribute information_schema.character_data COLLATE "C"
) WITH (oid = 13265, rowtype = 13267, arraytype = 13266, source = 'information_schema.collations');

CREATE VIEW information_schema.collation_character_set_applicability (
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13270, rowtype = 13272, arraytype = 13271, source = 'none');

CREATE VIEW information_schema.column_column_usage (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C",
    dependent_column information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13275, rowtype = 13277, arraytype = 13276, source = 'none');

CREATE VIEW information_schema.column_domain_usage (
    domain_catalog information_schema.sql_identifier COLLATE "C",
    domain_schema information_schema.sql_identifier COLLATE "C",
    domain_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13280, rowtype = 13282, arraytype = 13281, source = 'none');

CREATE VIEW information_schema.column_privileges (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13285, rowtype = 13287, arraytype = 13286, source = 'none');

CREATE VIEW information_schema.column_udt_usage (
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13290, rowtype = 13292, arraytype = 13291, source = 'none');

CREATE VIEW information_schema.columns (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C",
    ordinal_position information_schema.cardinal_number,
    column_default information_schema.character_data COLLATE "C",
    is_nullable information_schema.yes_or_no COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    character_maximum_length information_schema.cardinal_number,
    character_octet_length information_schema.cardinal_number,
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    datetime_precision information_schema.cardinal_number,
    interval_type information_schema.character_data COLLATE "C",
    interval_precision information_schema.cardinal_number,
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    domain_catalog information_schema.sql_identifier COLLATE "C",
    domain_schema information_schema.sql_identifier COLLATE "C",
    domain_name information_schema.sql_identifier COLLATE "C",
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    scope_catalog information_schema.sql_identifier COLLATE "C",
    scope_schema information_schema.sql_identifier COLLATE "C",
    scope_name information_schema.sql_identifier COLLATE "C",
    maximum_cardinality information_schema.cardinal_number,
    dtd_identifier information_schema.sql_identifier COLLATE "C",
    is_self_referencing information_schema.yes_or_no COLLATE "C",
    is_identity information_schema.yes_or_no COLLATE "C",
    identity_generation information_schema.character_data COLLATE "C",
    identity_start information_schema.character_data COLLATE "C",
    identity_increment information_schema.character_data COLLATE "C",
    identity_maximum information_schema.character_data COLLATE "C",
    identity_minimum information_schema.character_data COLLATE "C",
    identity_cycle information_schema.yes_or_no COLLATE "C",
    is_generated information_schema.character_data COLLATE "C",
    generation_expression information_schema.character_data COLLATE "C",
    is_updatable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13295, rowtype = 13297, arraytype = 13296, source = 'information_schema.columns');

CREATE VIEW information_schema.constraint_column_usage (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C",
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13300, rowtype = 13302, arraytype = 13301, source = 'information_schema.constraint_column_usage');

CREATE VIEW information_schema.constraint_table_usage (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13305, rowtype = 13307, arraytype = 13306, source = 'information_schema.constraint_table_usage');

CREATE VIEW information_schema.domain_constraints (
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C",
    domain_catalog information_schema.sql_identifier COLLATE "C",
    domain_schema information_schema.sql_identifier COLLATE "C",
    domain_name information_schema.sql_identifier COLLATE "C",
    is_deferrable information_schema.yes_or_no COLLATE "C",
    initially_deferred information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13310, rowtype = 13312, arraytype = 13311, source = 'none');

CREATE VIEW information_schema.domain_udt_usage (
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    domain_catalog information_schema.sql_identifier COLLATE "C",
    domain_schema information_schema.sql_identifier COLLATE "C",
    domain_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13315, rowtype = 13317, arraytype = 13316, source = 'none');

CREATE VIEW information_schema.domains (
    domain_catalog information_schema.sql_identifier COLLATE "C",
    domain_schema information_schema.sql_identifier COLLATE "C",
    domain_name information_schema.sql_identifier COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    character_maximum_length information_schema.cardinal_number,
    character_octet_length information_schema.cardinal_number,
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    datetime_precision information_schema.cardinal_number,
    interval_type information_schema.character_data COLLATE "C",
    interval_precision information_schema.cardinal_number,
    domain_default information_schema.character_data COLLATE "C",
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    scope_catalog information_schema.sql_identifier COLLATE "C",
    scope_schema information_schema.sql_identifier COLLATE "C",
    scope_name information_schema.sql_identifier COLLATE "C",
    maximum_cardinality information_schema.cardinal_number,
    dtd_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13320, rowtype = 13322, arraytype = 13321, source = 'information_schema.domains');

CREATE VIEW information_schema.enabled_roles (
    role_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13325, rowtype = 13327, arraytype = 13326, source = 'information_schema.enabled_roles');

CREATE VIEW information_schema.key_column_usage (
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C",
    ordinal_position information_schema.cardinal_number,
    position_in_unique_constraint information_schema.cardinal_number
) WITH (oid = 13329, rowtype = 13331, arraytype = 13330, source = 'information_schema.key_column_usage');

CREATE VIEW information_schema.parameters (
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    ordinal_position information_schema.cardinal_number,
    parameter_mode information_schema.character_data COLLATE "C",
    is_result information_schema.yes_or_no COLLATE "C",
    as_locator information_schema.yes_or_no COLLATE "C",
    parameter_name information_schema.sql_identifier COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    character_maximum_length information_schema.cardinal_number,
    character_octet_length information_schema.cardinal_number,
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    datetime_precision information_schema.cardinal_number,
    interval_type information_schema.character_data COLLATE "C",
    interval_precision information_schema.cardinal_number,
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    scope_catalog information_schema.sql_identifier COLLATE "C",
    scope_schema information_schema.sql_identifier COLLATE "C",
    scope_name information_schema.sql_identifier COLLATE "C",
    maximum_cardinality information_schema.cardinal_number,
    dtd_identifier information_schema.sql_identifier COLLATE "C",
    parameter_default information_schema.character_data COLLATE "C"
) WITH (oid = 13334, rowtype = 13336, arraytype = 13335, source = 'none');

CREATE VIEW information_schema.referential_constraints (
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C",
    unique_constraint_catalog information_schema.sql_identifier COLLATE "C",
    unique_constraint_schema information_schema.sql_identifier COLLATE "C",
    unique_constraint_name information_schema.sql_identifier COLLATE "C",
    match_option information_schema.character_data COLLATE "C",
    update_rule information_schema.character_data COLLATE "C",
    delete_rule information_schema.character_data COLLATE "C"
) WITH (oid = 13339, rowtype = 13341, arraytype = 13340, source = 'information_schema.referential_constraints');

CREATE VIEW information_schema.role_column_grants (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13344, rowtype = 13346, arraytype = 13345, source = 'none');

CREATE VIEW information_schema.routine_column_usage (
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    routine_catalog information_schema.sql_identifier COLLATE "C",
    routine_schema information_schema.sql_identifier COLLATE "C",
    routine_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13348, rowtype = 13350, arraytype = 13349, source = 'none');

CREATE VIEW information_schema.routine_privileges (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    routine_catalog information_schema.sql_identifier COLLATE "C",
    routine_schema information_schema.sql_identifier COLLATE "C",
    routine_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13353, rowtype = 13355, arraytype = 13354, source = 'none');

CREATE VIEW information_schema.role_routine_grants (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    routine_catalog information_schema.sql_identifier COLLATE "C",
    routine_schema information_schema.sql_identifier COLLATE "C",
    routine_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13358, rowtype = 13360, arraytype = 13359, source = 'none');

CREATE VIEW information_schema.routine_routine_usage (
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    routine_catalog information_schema.sql_identifier COLLATE "C",
    routine_schema information_schema.sql_identifier COLLATE "C",
    routine_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13362, rowtype = 13364, arraytype = 13363, source = 'none');

CREATE VIEW information_schema.routine_sequence_usage (
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    routine_catalog information_schema.sql_identifier COLLATE "C",
    routine_schema information_schema.sql_identifier COLLATE "C",
    routine_name information_schema.sql_identifier COLLATE "C",
    sequence_catalog information_schema.sql_identifier COLLATE "C",
    sequence_schema information_schema.sql_identifier COLLATE "C",
    sequence_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13367, rowtype = 13369, arraytype = 13368, source = 'none');

CREATE VIEW information_schema.routine_table_usage (
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    routine_catalog information_schema.sql_identifier COLLATE "C",
    routine_schema information_schema.sql_identifier COLLATE "C",
    routine_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13372, rowtype = 13374, arraytype = 13373, source = 'none');

CREATE VIEW information_schema.routines (
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    routine_catalog information_schema.sql_identifier COLLATE "C",
    routine_schema information_schema.sql_identifier COLLATE "C",
    routine_name information_schema.sql_identifier COLLATE "C",
    routine_type information_schema.character_data COLLATE "C",
    module_catalog information_schema.sql_identifier COLLATE "C",
    module_schema information_schema.sql_identifier COLLATE "C",
    module_name information_schema.sql_identifier COLLATE "C",
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    character_maximum_length information_schema.cardinal_number,
    character_octet_length information_schema.cardinal_number,
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    datetime_precision information_schema.cardinal_number,
    interval_type information_schema.character_data COLLATE "C",
    interval_precision information_schema.cardinal_number,
    type_udt_catalog information_schema.sql_identifier COLLATE "C",
    type_udt_schema information_schema.sql_identifier COLLATE "C",
    type_udt_name information_schema.sql_identifier COLLATE "C",
    scope_catalog information_schema.sql_identifier COLLATE "C",
    scope_schema information_schema.sql_identifier COLLATE "C",
    scope_name information_schema.sql_identifier COLLATE "C",
    maximum_cardinality information_schema.cardinal_number,
    dtd_identifier information_schema.sql_identifier COLLATE "C",
    routine_body information_schema.character_data COLLATE "C",
    routine_definition information_schema.character_data COLLATE "C",
    external_name information_schema.character_data COLLATE "C",
    external_language information_schema.character_data COLLATE "C",
    parameter_style information_schema.character_data COLLATE "C",
    is_deterministic information_schema.yes_or_no COLLATE "C",
    sql_data_access information_schema.character_data COLLATE "C",
    is_null_call information_schema.yes_or_no COLLATE "C",
    sql_path information_schema.character_data COLLATE "C",
    schema_level_routine information_schema.yes_or_no COLLATE "C",
    max_dynamic_result_sets information_schema.cardinal_number,
    is_user_defined_cast information_schema.yes_or_no COLLATE "C",
    is_implicitly_invocable information_schema.yes_or_no COLLATE "C",
    security_type information_schema.character_data COLLATE "C",
    to_sql_specific_catalog information_schema.sql_identifier COLLATE "C",
    to_sql_specific_schema information_schema.sql_identifier COLLATE "C",
    to_sql_specific_name information_schema.sql_identifier COLLATE "C",
    as_locator information_schema.yes_or_no COLLATE "C",
    created information_schema.time_stamp,
    last_altered information_schema.time_stamp,
    new_savepoint_level information_schema.yes_or_no COLLATE "C",
    is_udt_dependent information_schema.yes_or_no COLLATE "C",
    result_cast_from_data_type information_schema.character_data COLLATE "C",
    result_cast_as_locator information_schema.yes_or_no COLLATE "C",
    result_cast_char_max_length information_schema.cardinal_number,
    result_cast_char_octet_length information_schema.cardinal_number,
    result_cast_char_set_catalog information_schema.sql_identifier COLLATE "C",
    result_cast_char_set_schema information_schema.sql_identifier COLLATE "C",
    result_cast_char_set_name information_schema.sql_identifier COLLATE "C",
    result_cast_collation_catalog information_schema.sql_identifier COLLATE "C",
    result_cast_collation_schema information_schema.sql_identifier COLLATE "C",
    result_cast_collation_name information_schema.sql_identifier COLLATE "C",
    result_cast_numeric_precision information_schema.cardinal_number,
    result_cast_numeric_precision_radix information_schema.cardinal_number,
    result_cast_numeric_scale information_schema.cardinal_number,
    result_cast_datetime_precision information_schema.cardinal_number,
    result_cast_interval_type information_schema.character_data COLLATE "C",
    result_cast_interval_precision information_schema.cardinal_number,
    result_cast_type_udt_catalog information_schema.sql_identifier COLLATE "C",
    result_cast_type_udt_schema information_schema.sql_identifier COLLATE "C",
    result_cast_type_udt_name information_schema.sql_identifier COLLATE "C",
    result_cast_scope_catalog information_schema.sql_identifier COLLATE "C",
    result_cast_scope_schema information_schema.sql_identifier COLLATE "C",
    result_cast_scope_name information_schema.sql_identifier COLLATE "C",
    result_cast_maximum_cardinality information_schema.cardinal_number,
    result_cast_dtd_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13377, rowtype = 13379, arraytype = 13378, source = 'none');

CREATE VIEW information_schema.schemata (
    catalog_name information_schema.sql_identifier COLLATE "C",
    schema_name information_schema.sql_identifier COLLATE "C",
    schema_owner information_schema.sql_identifier COLLATE "C",
    default_character_set_catalog information_schema.sql_identifier COLLATE "C",
    default_character_set_schema information_schema.sql_identifier COLLATE "C",
    default_character_set_name information_schema.sql_identifier COLLATE "C",
    sql_path information_schema.character_data COLLATE "C"
) WITH (oid = 13382, rowtype = 13384, arraytype = 13383, source = 'information_schema.schemata');

CREATE VIEW information_schema.sequences (
    sequence_catalog information_schema.sql_identifier COLLATE "C",
    sequence_schema information_schema.sql_identifier COLLATE "C",
    sequence_name information_schema.sql_identifier COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    start_value information_schema.character_data COLLATE "C",
    minimum_value information_schema.character_data COLLATE "C",
    maximum_value information_schema.character_data COLLATE "C",
    increment information_schema.character_data COLLATE "C",
    cycle_option information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13386, rowtype = 13388, arraytype = 13387, source = 'information_schema.sequences');

CREATE TABLE information_schema.sql_features (
    feature_id information_schema.character_data COLLATE "C",
    feature_name information_schema.character_data COLLATE "C",
    sub_feature_id information_schema.character_data COLLATE "C",
    sub_feature_name information_schema.character_data COLLATE "C",
    is_supported information_schema.yes_or_no COLLATE "C",
    is_verified_by information_schema.character_data COLLATE "C",
    comments information_schema.character_data COLLATE "C"
) WITH (oid = 13391, rowtype = 13393, arraytype = 13392, source = 'none');

CREATE TABLE information_schema.sql_implementation_info (
    implementation_info_id information_schema.character_data COLLATE "C",
    implementation_info_name information_schema.character_data COLLATE "C",
    integer_value information_schema.cardinal_number,
    character_value information_schema.character_data COLLATE "C",
    comments information_schema.character_data COLLATE "C"
) WITH (oid = 13396, rowtype = 13398, arraytype = 13397, source = 'none');

CREATE TABLE information_schema.sql_parts (
    feature_id information_schema.character_data COLLATE "C",
    feature_name information_schema.character_data COLLATE "C",
    is_supported information_schema.yes_or_no COLLATE "C",
    is_verified_by information_schema.character_data COLLATE "C",
    comments information_schema.character_data COLLATE "C"
) WITH (oid = 13401, rowtype = 13403, arraytype = 13402, source = 'none');

CREATE TABLE information_schema.sql_sizing (
    sizing_id information_schema.cardinal_number,
    sizing_name information_schema.character_data COLLATE "C",
    supported_value information_schema.cardinal_number,
    comments information_schema.character_data COLLATE "C"
) WITH (oid = 13406, rowtype = 13408, arraytype = 13407, source = 'none');

CREATE VIEW information_schema.table_constraints (
    constraint_catalog information_schema.sql_identifier COLLATE "C",
    constraint_schema information_schema.sql_identifier COLLATE "C",
    constraint_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    constraint_type information_schema.character_data COLLATE "C",
    is_deferrable information_schema.yes_or_no COLLATE "C",
    initially_deferred information_schema.yes_or_no COLLATE "C",
    enforced information_schema.yes_or_no COLLATE "C",
    nulls_distinct information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13411, rowtype = 13413, arraytype = 13412, source = 'information_schema.table_constraints');

CREATE VIEW information_schema.table_privileges (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C",
    with_hierarchy information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13416, rowtype = 13418, arraytype = 13417, source = 'information_schema.table_privileges');

CREATE VIEW information_schema.role_table_grants (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C",
    with_hierarchy information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13421, rowtype = 13423, arraytype = 13422, source = 'information_schema.role_table_grants');

CREATE VIEW information_schema.tables (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    table_type information_schema.character_data COLLATE "C",
    self_referencing_column_name information_schema.sql_identifier COLLATE "C",
    reference_generation information_schema.character_data COLLATE "C",
    user_defined_type_catalog information_schema.sql_identifier COLLATE "C",
    user_defined_type_schema information_schema.sql_identifier COLLATE "C",
    user_defined_type_name information_schema.sql_identifier COLLATE "C",
    is_insertable_into information_schema.yes_or_no COLLATE "C",
    is_typed information_schema.yes_or_no COLLATE "C",
    commit_action information_schema.character_data COLLATE "C"
) WITH (oid = 13425, rowtype = 13427, arraytype = 13426, source = 'information_schema.tables');

CREATE VIEW information_schema.transforms (
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C",
    group_name information_schema.sql_identifier COLLATE "C",
    transform_type information_schema.character_data COLLATE "C"
) WITH (oid = 13430, rowtype = 13432, arraytype = 13431, source = 'none');

CREATE VIEW information_schema.triggered_update_columns (
    trigger_catalog information_schema.sql_identifier COLLATE "C",
    trigger_schema information_schema.sql_identifier COLLATE "C",
    trigger_name information_schema.sql_identifier COLLATE "C",
    event_object_catalog information_schema.sql_identifier COLLATE "C",
    event_object_schema information_schema.sql_identifier COLLATE "C",
    event_object_table information_schema.sql_identifier COLLATE "C",
    event_object_column information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13435, rowtype = 13437, arraytype = 13436, source = 'none');

CREATE VIEW information_schema.triggers (
    trigger_catalog information_schema.sql_identifier COLLATE "C",
    trigger_schema information_schema.sql_identifier COLLATE "C",
    trigger_name information_schema.sql_identifier COLLATE "C",
    event_manipulation information_schema.character_data COLLATE "C",
    event_object_catalog information_schema.sql_identifier COLLATE "C",
    event_object_schema information_schema.sql_identifier COLLATE "C",
    event_object_table information_schema.sql_identifier COLLATE "C",
    action_order information_schema.cardinal_number,
    action_condition information_schema.character_data COLLATE "C",
    action_statement information_schema.character_data COLLATE "C",
    action_orientation information_schema.character_data COLLATE "C",
    action_timing information_schema.character_data COLLATE "C",
    action_reference_old_table information_schema.sql_identifier COLLATE "C",
    action_reference_new_table information_schema.sql_identifier COLLATE "C",
    action_reference_old_row information_schema.sql_identifier COLLATE "C",
    action_reference_new_row information_schema.sql_identifier COLLATE "C",
    created information_schema.time_stamp
) WITH (oid = 13440, rowtype = 13442, arraytype = 13441, source = 'none');

CREATE VIEW information_schema.udt_privileges (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13445, rowtype = 13447, arraytype = 13446, source = 'none');

CREATE VIEW information_schema.role_udt_grants (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13450, rowtype = 13452, arraytype = 13451, source = 'none');

CREATE VIEW information_schema.usage_privileges (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    object_catalog information_schema.sql_identifier COLLATE "C",
    object_schema information_schema.sql_identifier COLLATE "C",
    object_name information_schema.sql_identifier COLLATE "C",
    object_type information_schema.character_data COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13454, rowtype = 13456, arraytype = 13455, source = 'none');

CREATE VIEW information_schema.role_usage_grants (
    grantor information_schema.sql_identifier COLLATE "C",
    grantee information_schema.sql_identifier COLLATE "C",
    object_catalog information_schema.sql_identifier COLLATE "C",
    object_schema information_schema.sql_identifier COLLATE "C",
    object_name information_schema.sql_identifier COLLATE "C",
    object_type information_schema.character_data COLLATE "C",
    privilege_type information_schema.character_data COLLATE "C",
    is_grantable information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13459, rowtype = 13461, arraytype = 13460, source = 'none');

CREATE VIEW information_schema.user_defined_types (
    user_defined_type_catalog information_schema.sql_identifier COLLATE "C",
    user_defined_type_schema information_schema.sql_identifier COLLATE "C",
    user_defined_type_name information_schema.sql_identifier COLLATE "C",
    user_defined_type_category information_schema.character_data COLLATE "C",
    is_instantiable information_schema.yes_or_no COLLATE "C",
    is_final information_schema.yes_or_no COLLATE "C",
    ordering_form information_schema.character_data COLLATE "C",
    ordering_category information_schema.character_data COLLATE "C",
    ordering_routine_catalog information_schema.sql_identifier COLLATE "C",
    ordering_routine_schema information_schema.sql_identifier COLLATE "C",
    ordering_routine_name information_schema.sql_identifier COLLATE "C",
    reference_type information_schema.character_data COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    character_maximum_length information_schema.cardinal_number,
    character_octet_length information_schema.cardinal_number,
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    datetime_precision information_schema.cardinal_number,
    interval_type information_schema.character_data COLLATE "C",
    interval_precision information_schema.cardinal_number,
    source_dtd_identifier information_schema.sql_identifier COLLATE "C",
    ref_dtd_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13463, rowtype = 13465, arraytype = 13464, source = 'none');

CREATE VIEW information_schema.view_column_usage (
    view_catalog information_schema.sql_identifier COLLATE "C",
    view_schema information_schema.sql_identifier COLLATE "C",
    view_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13468, rowtype = 13470, arraytype = 13469, source = 'none');

CREATE VIEW information_schema.view_routine_usage (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    specific_catalog information_schema.sql_identifier COLLATE "C",
    specific_schema information_schema.sql_identifier COLLATE "C",
    specific_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13473, rowtype = 13475, arraytype = 13474, source = 'none');

CREATE VIEW information_schema.view_table_usage (
    view_catalog information_schema.sql_identifier COLLATE "C",
    view_schema information_schema.sql_identifier COLLATE "C",
    view_name information_schema.sql_identifier COLLATE "C",
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13478, rowtype = 13480, arraytype = 13479, source = 'information_schema.view_table_usage');

CREATE VIEW information_schema.views (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    view_definition information_schema.character_data COLLATE "C",
    check_option information_schema.character_data COLLATE "C",
    is_updatable information_schema.yes_or_no COLLATE "C",
    is_insertable_into information_schema.yes_or_no COLLATE "C",
    is_trigger_updatable information_schema.yes_or_no COLLATE "C",
    is_trigger_deletable information_schema.yes_or_no COLLATE "C",
    is_trigger_insertable_into information_schema.yes_or_no COLLATE "C"
) WITH (oid = 13483, rowtype = 13485, arraytype = 13484, source = 'information_schema.views');

CREATE VIEW information_schema.data_type_privileges (
    object_catalog information_schema.sql_identifier COLLATE "C",
    object_schema information_schema.sql_identifier COLLATE "C",
    object_name information_schema.sql_identifier COLLATE "C",
    object_type information_schema.character_data COLLATE "C",
    dtd_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13488, rowtype = 13490, arraytype = 13489, source = 'none');

CREATE VIEW information_schema.element_types (
    object_catalog information_schema.sql_identifier COLLATE "C",
    object_schema information_schema.sql_identifier COLLATE "C",
    object_name information_schema.sql_identifier COLLATE "C",
    object_type information_schema.character_data COLLATE "C",
    collection_type_identifier information_schema.sql_identifier COLLATE "C",
    data_type information_schema.character_data COLLATE "C",
    character_maximum_length information_schema.cardinal_number,
    character_octet_length information_schema.cardinal_number,
    character_set_catalog information_schema.sql_identifier COLLATE "C",
    character_set_schema information_schema.sql_identifier COLLATE "C",
    character_set_name information_schema.sql_identifier COLLATE "C",
    collation_catalog information_schema.sql_identifier COLLATE "C",
    collation_schema information_schema.sql_identifier COLLATE "C",
    collation_name information_schema.sql_identifier COLLATE "C",
    numeric_precision information_schema.cardinal_number,
    numeric_precision_radix information_schema.cardinal_number,
    numeric_scale information_schema.cardinal_number,
    datetime_precision information_schema.cardinal_number,
    interval_type information_schema.character_data COLLATE "C",
    interval_precision information_schema.cardinal_number,
    domain_default information_schema.character_data COLLATE "C",
    udt_catalog information_schema.sql_identifier COLLATE "C",
    udt_schema information_schema.sql_identifier COLLATE "C",
    udt_name information_schema.sql_identifier COLLATE "C",
    scope_catalog information_schema.sql_identifier COLLATE "C",
    scope_schema information_schema.sql_identifier COLLATE "C",
    scope_name information_schema.sql_identifier COLLATE "C",
    maximum_cardinality information_schema.cardinal_number,
    dtd_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13493, rowtype = 13495, arraytype = 13494, source = 'information_schema.element_types');

CREATE VIEW information_schema._pg_foreign_table_columns (
    nspname name COLLATE "C",
    relname name COLLATE "C",
    attname name COLLATE "C",
    attfdwoptions text[] COLLATE "C"
) WITH (oid = 13498, rowtype = 13500, arraytype = 13499, source = 'none');

CREATE VIEW information_schema.column_options (
    table_catalog information_schema.sql_identifier COLLATE "C",
    table_schema information_schema.sql_identifier COLLATE "C",
    table_name information_schema.sql_identifier COLLATE "C",
    column_name information_schema.sql_identifier COLLATE "C",
    option_name information_schema.sql_identifier COLLATE "C",
    option_value information_schema.character_data COLLATE "C"
) WITH (oid = 13503, rowtype = 13505, arraytype = 13504, source = 'none');

CREATE VIEW information_schema._pg_foreign_data_wrappers (
    oid oid,
    fdwowner oid,
    fdwoptions text[] COLLATE "C",
    foreign_data_wrapper_catalog information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_name information_schema.sql_identifier COLLATE "C",
    authorization_identifier information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_language information_schema.character_data COLLATE "C"
) WITH (oid = 13507, rowtype = 13509, arraytype = 13508, source = 'none');

CREATE VIEW information_schema.foreign_data_wrapper_options (
    foreign_data_wrapper_catalog information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_name information_schema.sql_identifier COLLATE "C",
    option_name information_schema.sql_identifier COLLATE "C",
    option_value information_schema.character_data COLLATE "C"
) WITH (oid = 13511, rowtype = 13513, arraytype = 13512, source = 'none');

CREATE VIEW information_schema.foreign_data_wrappers (
    foreign_data_wrapper_catalog information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_name information_schema.sql_identifier COLLATE "C",
    authorization_identifier information_schema.sql_identifier COLLATE "C",
    library_name information_schema.character_data COLLATE "C",
    foreign_data_wrapper_language information_schema.character_data COLLATE "C"
) WITH (oid = 13515, rowtype = 13517, arraytype = 13516, source = 'none');

CREATE VIEW information_schema._pg_foreign_servers (
    oid oid,
    srvoptions text[] COLLATE "C",
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_catalog information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_name information_schema.sql_identifier COLLATE "C",
    foreign_server_type information_schema.character_data COLLATE "C",
    foreign_server_version information_schema.character_data COLLATE "C",
    authorization_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13519, rowtype = 13521, arraytype = 13520, source = 'none');

CREATE VIEW information_schema.foreign_server_options (
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C",
    option_name information_schema.sql_identifier COLLATE "C",
    option_value information_schema.character_data COLLATE "C"
) WITH (oid = 13524, rowtype = 13526, arraytype = 13525, source = 'none');

CREATE VIEW information_schema.foreign_servers (
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_catalog information_schema.sql_identifier COLLATE "C",
    foreign_data_wrapper_name information_schema.sql_identifier COLLATE "C",
    foreign_server_type information_schema.character_data COLLATE "C",
    foreign_server_version information_schema.character_data COLLATE "C",
    authorization_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13528, rowtype = 13530, arraytype = 13529, source = 'none');

CREATE VIEW information_schema._pg_foreign_tables (
    foreign_table_catalog information_schema.sql_identifier COLLATE "C",
    foreign_table_schema information_schema.sql_identifier COLLATE "C",
    foreign_table_name information_schema.sql_identifier COLLATE "C",
    ftoptions text[] COLLATE "C",
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C",
    authorization_identifier information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13532, rowtype = 13534, arraytype = 13533, source = 'none');

CREATE VIEW information_schema.foreign_table_options (
    foreign_table_catalog information_schema.sql_identifier COLLATE "C",
    foreign_table_schema information_schema.sql_identifier COLLATE "C",
    foreign_table_name information_schema.sql_identifier COLLATE "C",
    option_name information_schema.sql_identifier COLLATE "C",
    option_value information_schema.character_data COLLATE "C"
) WITH (oid = 13537, rowtype = 13539, arraytype = 13538, source = 'none');

CREATE VIEW information_schema.foreign_tables (
    foreign_table_catalog information_schema.sql_identifier COLLATE "C",
    foreign_table_schema information_schema.sql_identifier COLLATE "C",
    foreign_table_name information_schema.sql_identifier COLLATE "C",
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13541, rowtype = 13543, arraytype = 13542, source = 'none');

CREATE VIEW information_schema._pg_user_mappings (
    oid oid,
    umoptions text[] COLLATE "C",
    umuser oid,
    authorization_identifier information_schema.sql_identifier COLLATE "C",
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C",
    srvowner information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13545, rowtype = 13547, arraytype = 13546, source = 'none');

CREATE VIEW information_schema.user_mapping_options (
    authorization_identifier information_schema.sql_identifier COLLATE "C",
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C",
    option_name information_schema.sql_identifier COLLATE "C",
    option_value information_schema.character_data COLLATE "C"
) WITH (oid = 13550, rowtype = 13552, arraytype = 13551, source = 'none');

CREATE VIEW information_schema.user_mappings (
    authorization_identifier information_schema.sql_identifier COLLATE "C",
    foreign_server_catalog information_schema.sql_identifier COLLATE "C",
    foreign_server_name information_schema.sql_identifier COLLATE "C"
) WITH (oid = 13555, rowtype = 13557, arraytype = 13556, source = 'none');
