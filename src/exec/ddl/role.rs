//! CREATE, ALTER and DROP ROLE.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rand::Rng as _;
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use super::context::{CLASS_ROLE, DdlContext, no_role};
use crate::catalog::{BOOTSTRAP_SUPERUSER, Catalog, Change, Object, ObjectKind, Role};
use crate::config;
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::{AlterRole, AlterRoleAction, CreateRole, DropRole, Reset, RoleOption, RoleSpec, SetValue, SetVariable};
use crate::types::{Value, io, oid};

/// Rounds of PBKDF2, as PostgreSQL 15 has them.
const SCRAM_ITERATIONS: u32 = 4096;
const SCRAM_SALT_BYTES: usize = 16;

/// 42501 unless the role may make and change roles.
pub fn may_manage(ctx: &DdlContext<'_>) -> Result<()> {
    if ctx.superuser || ctx.catalog().role(ctx.role).is_some_and(|role| role.create_role) {
        return Ok(());
    }
    Err(PgError::new(sqlstate::INSUFFICIENT_PRIVILEGE, "permission denied"))
}

pub fn check_name(name: &str) -> Result<()> {
    if name.starts_with("pg_") {
        return Err(
            PgError::new(sqlstate::RESERVED_NAME, format!("role name \"{name}\" is reserved"))
                .detail("Role names starting with \"pg_\" are reserved."),
        );
    }
    if matches!(name, "public" | "none") {
        return Err(PgError::new(
            sqlstate::RESERVED_NAME,
            format!("role name \"{name}\" is reserved"),
        ));
    }
    Ok(())
}

fn put(ctx: &DdlContext<'_>, role: Role) -> Result<()> {
    ctx.change(Change::Put(Object::Role(Arc::new(role))))
}

pub async fn create(ctx: &DdlContext<'_>, statement: &CreateRole) -> Result<String> {
    let name = &statement.name.text;
    if may_manage(ctx).is_err() {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            "permission denied to create role",
        ));
    }
    check_name(name)?;
    ctx.lock_name(CLASS_ROLE, Oid::INVALID, name).await?;
    if ctx.catalog().find_role(name).is_some() {
        return Err(PgError::new(
            sqlstate::DUPLICATE_OBJECT,
            format!("role \"{name}\" already exists"),
        ));
    }
    let mut role = Role {
        oid: ctx.new_oid(),
        name: name.clone(),
        superuser: false,
        inherit: true,
        create_role: false,
        create_db: false,
        login: statement.is_user,
        replication: false,
        bypass_rls: false,
        connection_limit: -1,
        password: None,
        valid_until: None,
        member_of: Vec::new(),
        settings: Vec::new(),
    };
    let members = apply(ctx, &mut role, &statement.options)?;
    let oid = role.oid;
    put(ctx, role)?;
    for member in members {
        join(ctx, member, oid)?;
    }
    Ok("CREATE ROLE".to_owned())
}

/// The options over a role; answers the roles that become its members.
fn apply(ctx: &DdlContext<'_>, role: &mut Role, options: &[RoleOption]) -> Result<Vec<Oid>> {
    let mut members = Vec::new();
    let mut seen = Vec::new();
    for option in options {
        let kind = std::mem::discriminant(option);
        if seen.contains(&kind) {
            return Err(PgError::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options"));
        }
        seen.push(kind);
        match option {
            RoleOption::Superuser(yes) => {
                only_superuser(ctx, role.superuser != *yes, "create superusers")?;
                role.superuser = *yes;
            }
            RoleOption::Inherit(yes) => role.inherit = *yes,
            RoleOption::CreateRole(yes) => role.create_role = *yes,
            RoleOption::CreateDb(yes) => role.create_db = *yes,
            RoleOption::Login(yes) => role.login = *yes,
            RoleOption::Replication(yes) => {
                only_superuser(ctx, role.replication != *yes, "create replication users")?;
                role.replication = *yes;
            }
            RoleOption::BypassRls(yes) => {
                only_superuser(ctx, role.bypass_rls != *yes, "create bypassrls users")?;
                role.bypass_rls = *yes;
            }
            RoleOption::Password(password) => role.password = secret(ctx, password.as_deref()),
            RoleOption::ConnectionLimit(limit) => {
                role.connection_limit = i32::try_from(*limit).ok().filter(|limit| *limit >= -1).ok_or_else(|| {
                    PgError::new(
                        sqlstate::INVALID_PARAMETER_VALUE,
                        format!("invalid connection limit: {limit}"),
                    )
                })?;
            }
            RoleOption::ValidUntil(text) => match io::text_in(oid::TIMESTAMPTZ, -1, text, &ctx.env())? {
                Value::TimestampTz(micros) => role.valid_until = Some(micros),
                _ => return Err(PgError::internal("VALID UNTIL is no time")),
            },
            RoleOption::InRole(roles) => {
                for one in roles {
                    let one = ctx.role(one)?;
                    if !role.member_of.contains(&one) {
                        role.member_of.push(one);
                    }
                }
            }
            RoleOption::Members(roles) | RoleOption::Admins(roles) => {
                for one in roles {
                    members.push(ctx.role(one)?);
                }
            }
            RoleOption::SysId(_) => ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, "SYSID can no longer be specified"),
        }
    }
    Ok(members)
}

fn only_superuser(ctx: &DdlContext<'_>, changes: bool, what: &str) -> Result<()> {
    if ctx.superuser || !changes {
        return Ok(());
    }
    Err(PgError::new(
        sqlstate::INSUFFICIENT_PRIVILEGE,
        format!("must be superuser to {what}"),
    ))
}

/// What is stored of a password.
fn secret(ctx: &DdlContext<'_>, password: Option<&str>) -> Option<String> {
    let password = password?;
    if password.is_empty() {
        ctx.skip(
            sqlstate::SUCCESSFUL_COMPLETION,
            "empty string is not a valid password, clearing password",
        );
        return None;
    }
    // A secret that was made elsewhere (pg_dumpall) is kept.
    if password.starts_with("SCRAM-SHA-256$") && password.matches('$').count() == 2 {
        return Some(password.to_owned());
    }
    let mut salt = [0; SCRAM_SALT_BYTES];
    rand::rng().fill(&mut salt);
    Some(scram_secret(password, &salt, SCRAM_ITERATIONS))
}

/// HMAC-SHA-256 (RFC 2104).
fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let mut padded = [0_u8; BLOCK];
    if key.len() > BLOCK {
        padded[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        padded[..key.len()].copy_from_slice(key);
    }
    let mut inner = Sha256::new();
    inner.update(padded.map(|byte| byte ^ 0x36));
    parts.iter().for_each(|part| inner.update(part));
    let mut outer = Sha256::new();
    outer.update(padded.map(|byte| byte ^ 0x5c));
    outer.update(inner.finalize());
    outer.finalize().into()
}

/// `SCRAM-SHA-256$iterations:salt$stored key:server key` (RFC 5803).
pub fn scram_secret(password: &str, salt: &[u8], iterations: u32) -> String {
    let prepared = stringprep::saslprep(password).unwrap_or(std::borrow::Cow::Borrowed(password));
    let mut block = hmac(prepared.as_bytes(), &[salt, &1_u32.to_be_bytes()]);
    let mut salted = block;
    for _ in 1..iterations {
        block = hmac(prepared.as_bytes(), &[&block]);
        salted.iter_mut().zip(block).for_each(|(byte, other)| *byte ^= other);
    }
    let stored = Sha256::digest(hmac(&salted, &[b"Client Key"]));
    let server = hmac(&salted, &[b"Server Key"]);
    format!(
        "SCRAM-SHA-256${iterations}:{}${}:{}",
        BASE64.encode(salt),
        BASE64.encode(stored),
        BASE64.encode(server)
    )
}

/// Makes `member` a member of `role`.
pub fn join(ctx: &DdlContext<'_>, member: Oid, role: Oid) -> Result<()> {
    let catalog = ctx.catalog();
    let name = |oid: Oid| catalog.role(oid).map(|one| one.name.clone()).unwrap_or_default();
    if catalog.role(role).is_some_and(|one| !one.superuser) && catalog.is_member(role, member) {
        return Err(PgError::new(
            sqlstate::INVALID_GRANT_OPERATION,
            format!("role \"{}\" is a member of role \"{}\"", name(role), name(member)),
        ));
    }
    let Some(found) = catalog.role(member) else {
        return Err(no_role(""));
    };
    if found.member_of.contains(&role) {
        ctx.skip(
            sqlstate::SUCCESSFUL_COMPLETION,
            format!("role \"{}\" is already a member of role \"{}\"", name(member), name(role)),
        );
        return Ok(());
    }
    let mut next = Role::clone(found);
    next.member_of.push(role);
    put(ctx, next)
}

/// The opposite.
pub fn leave(ctx: &DdlContext<'_>, member: Oid, role: Oid) -> Result<()> {
    let catalog = ctx.catalog();
    let Some(found) = catalog.role(member) else {
        return Err(no_role(""));
    };
    let mut next = Role::clone(found);
    next.member_of.retain(|one| *one != role);
    if next.member_of.len() == found.member_of.len() {
        let of = catalog.role(role).map(|one| one.name.clone()).unwrap_or_default();
        ctx.notice(PgError::new(
            sqlstate::WARNING,
            format!("role \"{}\" is not a member of role \"{of}\"", found.name),
        ));
    }
    put(ctx, next)
}

pub async fn alter(ctx: &DdlContext<'_>, statement: &AlterRole) -> Result<String> {
    let tag = "ALTER ROLE".to_owned();
    let Some(spec) = &statement.role else {
        return Err(PgError::unsupported("ALTER ROLE ALL"));
    };
    let oid = ctx.role(spec)?;
    let catalog = ctx.catalog();
    let Some(role) = catalog.role(oid) else {
        return Err(no_role(""));
    };
    ctx.lock_name(CLASS_ROLE, Oid::INVALID, &role.name).await?;
    may_alter(ctx, role, &statement.action)?;
    let mut next = Role::clone(role);
    match &statement.action {
        AlterRoleAction::Options(options) => {
            let members = apply(ctx, &mut next, options)?;
            put(ctx, next)?;
            for member in members {
                join(ctx, member, oid)?;
            }
            return Ok(tag);
        }
        AlterRoleAction::Set { database: Some(_), .. } | AlterRoleAction::Reset { database: Some(_), .. } => {
            return Err(PgError::unsupported("ALTER ROLE ... IN DATABASE"));
        }
        AlterRoleAction::Set { set, .. } => set_setting(ctx, &mut next.settings, set)?,
        AlterRoleAction::Reset { reset, .. } => reset_setting(&mut next.settings, reset),
        AlterRoleAction::Members { add, members } => {
            for member in members {
                let member = ctx.role(member)?;
                if *add {
                    join(ctx, member, oid)?;
                } else {
                    leave(ctx, member, oid)?;
                }
            }
            return Ok(tag);
        }
    }
    put(ctx, next)?;
    Ok(tag)
}

/// Everybody may change their own password and settings; CREATEROLE those of roles that are no superusers.
fn may_alter(ctx: &DdlContext<'_>, role: &Role, action: &AlterRoleAction) -> Result<()> {
    if ctx.superuser {
        return Ok(());
    }
    if role.superuser {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            "must be superuser to alter superuser roles or change superuser attribute",
        ));
    }
    let own = role.oid == ctx.role
        && match action {
            AlterRoleAction::Options(options) => options.iter().all(|one| matches!(one, RoleOption::Password(_))),
            AlterRoleAction::Set { .. } | AlterRoleAction::Reset { .. } => true,
            AlterRoleAction::Members { .. } => false,
        };
    if own { Ok(()) } else { may_manage(ctx) }
}

/// ALTER ROLE | DATABASE ... SET.
pub fn set_setting(ctx: &DdlContext<'_>, settings: &mut Vec<(SmolStr, String)>, set: &SetVariable) -> Result<()> {
    let name = set.name.name.to_ascii_lowercase();
    if ctx.host.setting(&name).is_none() && !name.contains('.') {
        return Err(config::unknown(&set.name.name));
    }
    let value = match &set.value {
        SetValue::Default => None,
        SetValue::FromCurrent => ctx.host.setting(&name),
        SetValue::List(_) => set.value.text(),
    };
    settings.retain(|(one, _)| *one != name);
    if let Some(value) = value {
        settings.push((SmolStr::from(name), value));
    }
    Ok(())
}

pub fn reset_setting(settings: &mut Vec<(SmolStr, String)>, reset: &Reset) {
    match reset {
        Reset::All => settings.clear(),
        Reset::Variable(name) => settings.retain(|(one, _)| !one.eq_ignore_ascii_case(&name.name)),
    }
}

pub async fn drop_roles(ctx: &DdlContext<'_>, statement: &DropRole) -> Result<String> {
    if may_manage(ctx).is_err() {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            "permission denied to drop role",
        ));
    }
    for spec in &statement.roles {
        let RoleSpec::Name(name) = spec else {
            return Err(PgError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "cannot use special role specifier in DROP ROLE",
            ));
        };
        ctx.lock_name(CLASS_ROLE, Oid::INVALID, &name.text).await?;
        let catalog = ctx.catalog();
        let Some(oid) = catalog.find_role(&name.text) else {
            if statement.if_exists {
                let message = format!("role \"{name}\" does not exist, skipping");
                ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, message);
                continue;
            }
            return Err(no_role(&name.text));
        };
        check_droppable(ctx, &catalog, oid, &name.text)?;
        for member in catalog.roles().filter(|one| one.member_of.contains(&oid)) {
            let mut next = Role::clone(member);
            next.member_of.retain(|one| *one != oid);
            put(ctx, next)?;
        }
        ctx.delete(ObjectKind::Role, oid)?;
    }
    Ok("DROP ROLE".to_owned())
}

fn check_droppable(ctx: &DdlContext<'_>, catalog: &Catalog, oid: Oid, name: &str) -> Result<()> {
    if oid == ctx.role {
        return Err(PgError::new(sqlstate::OBJECT_IN_USE, "current user cannot be dropped"));
    }
    if oid == ctx.session_role {
        return Err(PgError::new(sqlstate::OBJECT_IN_USE, "session user cannot be dropped"));
    }
    if catalog.is_superuser(oid) && !ctx.superuser {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            "must be superuser to drop superusers",
        ));
    }
    if oid == BOOTSTRAP_SUPERUSER {
        return Err(PgError::new(
            sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
            format!("cannot drop role {name} because it is required by the database system"),
        ));
    }
    let mut owned = Vec::new();
    let mut own = |owner: Oid, text: String| {
        if owner == oid {
            owned.push(format!("owner of {text}"));
        }
    };
    catalog
        .databases()
        .for_each(|one| own(one.owner, format!("database {}", one.name)));
    catalog
        .schemas()
        .for_each(|one| own(one.owner, format!("schema {}", one.name)));
    catalog
        .user_tables()
        .for_each(|one| own(one.owner, format!("table {}", ctx.shown_name(one.schema, &one.name))));
    catalog
        .user_views()
        .for_each(|one| own(one.owner, format!("view {}", ctx.shown_name(one.schema, &one.name))));
    catalog
        .sequences()
        .filter(|one| one.owned_by.is_none())
        .for_each(|one| own(one.owner, format!("sequence {}", ctx.shown_name(one.schema, &one.name))));
    catalog
        .user_types()
        .for_each(|one| own(one.owner, format!("type {}", one.name)));
    if owned.is_empty() {
        return Ok(());
    }
    Err(PgError::new(
        sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
        format!("role \"{name}\" cannot be dropped because some objects depend on it"),
    )
    .detail(owned.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7677: its client proof and server signature follow from these keys.
    #[test]
    fn secrets_are_those_of_rfc_7677() {
        let salt = BASE64.decode("W22ZaJ0SNY7soEsUEjb6gQ==").expect("base64");
        let secret = scram_secret("pencil", &salt, 4096);
        assert_eq!(
            secret,
            "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:\
             wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
        );
    }
}
