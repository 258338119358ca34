//! GRANT and REVOKE.
//!
//! Only owners and superusers may touch an object, so rights can be given to nobody else: what gives them to roles that
//! have them anyway is accepted, everything else says so.

use super::context::DdlContext;
use super::role::{join, leave};
use crate::error::{PgError, Result, sqlstate};
use crate::parse::{Grant, GrantRole, RoleSpec};

pub fn grant(ctx: &DdlContext<'_>, statement: &Grant) -> Result<String> {
    let tag = if statement.is_grant { "GRANT" } else { "REVOKE" };
    for grantee in &statement.grantees {
        // Nobody has rights that could be taken away.
        if *grantee == RoleSpec::Public {
            if statement.is_grant {
                return Err(PgError::unsupported("GRANT to PUBLIC"));
            }
            continue;
        }
        let role = ctx.role(grantee)?;
        if statement.is_grant && !ctx.catalog().is_superuser(role) {
            return Err(PgError::unsupported("GRANT of rights to a role that is no superuser"));
        }
    }
    Ok(tag.to_owned())
}

/// Membership.
pub async fn grant_role(ctx: &DdlContext<'_>, statement: &GrantRole) -> Result<String> {
    if statement.admin_option {
        return Err(PgError::unsupported("WITH ADMIN OPTION"));
    }
    for name in &statement.roles {
        let role = ctx.role_named(&name.text)?;
        let catalog = ctx.catalog();
        let may = ctx.superuser || !catalog.is_superuser(role) && catalog.role(ctx.role).is_some_and(|own| own.create_role);
        if !may {
            return Err(PgError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("must have admin option on role \"{name}\""),
            ));
        }
        for grantee in &statement.grantees {
            let member = ctx.role(grantee)?;
            ctx.lock_name(super::context::CLASS_ROLE, crate::ids::Oid::INVALID, &name.text)
                .await?;
            if statement.is_grant {
                join(ctx, member, role)?;
            } else {
                leave(ctx, member, role)?;
            }
        }
    }
    Ok(if statement.is_grant { "GRANT ROLE" } else { "REVOKE ROLE" }.to_owned())
}
