//! CREATE TYPE, ALTER TYPE, CREATE DOMAIN, ALTER DOMAIN.

use std::sync::Arc;

use smol_str::SmolStr;
use sqlparser::ast;

use super::column;
use super::context::{DdlContext, free_name};
use super::exprs;
use crate::catalog::{Change, Column, Object, UserType, UserTypeKind};
use crate::error::{PgError, Result, sqlstate};
use crate::ids::Oid;
use crate::parse::{
    AlterDomain, AlterDomainAction, AlterType, AlterTypeAction, ColumnConstraintKind, ColumnDef, CreateDomain, CreateType,
    CreateTypeKind, EnumPlace, ExprText, QName, TableConstraintKind,
};
use crate::types::info::format_type;

/// Bytes of an enum label (`NAMEDATALEN - 1`).
const LABEL_BYTES_MAX: usize = crate::limits::IDENTIFIER_BYTES_MAX;

fn put(ctx: &DdlContext<'_>, ty: UserType) -> Result<()> {
    ctx.change(Change::Put(Object::Type(Arc::new(ty))))
}

async fn blank(ctx: &DdlContext<'_>, name: &QName, kind: UserTypeKind) -> Result<UserType> {
    let schema = ctx.creation_schema(name, false).await?;
    ctx.claim_type(schema, name.name()).await?;
    Ok(UserType {
        oid: ctx.new_oid(),
        array_type: ctx.new_oid(),
        schema,
        name: name.name().clone(),
        owner: ctx.role,
        kind,
    })
}

pub async fn create_type(ctx: &DdlContext<'_>, statement: &CreateType) -> Result<String> {
    let kind = match &statement.kind {
        CreateTypeKind::Enum(labels) => UserTypeKind::Enum(enum_labels(ctx, labels)?.into()),
        CreateTypeKind::Composite(columns) => UserTypeKind::Composite(fields(ctx, columns)?),
        CreateTypeKind::Range(_) => return Err(PgError::unsupported("CREATE TYPE AS RANGE")),
        CreateTypeKind::Base(_) | CreateTypeKind::Shell => return Err(PgError::unsupported("CREATE TYPE of a base type")),
    };
    // A composite type shares the relations' names, as PostgreSQL keeps it in pg_class.
    if matches!(kind, UserTypeKind::Composite(_)) {
        let schema = ctx.creation_schema(&statement.name, false).await?;
        ctx.claim_relation(schema, statement.name.name()).await?;
    }
    let ty = blank(ctx, &statement.name, kind).await?;
    put(ctx, ty)?;
    Ok("CREATE TYPE".to_owned())
}

fn enum_labels(ctx: &DdlContext<'_>, labels: &[String]) -> Result<Vec<(Oid, SmolStr)>> {
    let mut out: Vec<(Oid, SmolStr)> = Vec::with_capacity(labels.len());
    for label in labels {
        check_label(label)?;
        if out.iter().any(|(_, one)| one == label) {
            return Err(PgError::new(
                sqlstate::UNIQUE_VIOLATION,
                "duplicate key value violates unique constraint \"pg_enum_typid_label_index\"",
            ));
        }
        out.push((ctx.new_oid(), SmolStr::from(label)));
    }
    Ok(out)
}

fn check_label(label: &str) -> Result<()> {
    if label.len() > LABEL_BYTES_MAX {
        return Err(
            PgError::new(sqlstate::INVALID_NAME, format!("invalid enum label \"{label}\""))
                .detail("Labels must be 63 bytes or less."),
        );
    }
    Ok(())
}

fn fields(ctx: &DdlContext<'_>, columns: &[ColumnDef]) -> Result<Vec<Column>> {
    let mut out: Vec<Column> = Vec::with_capacity(columns.len());
    for definition in columns {
        let name = &definition.name.text;
        let Some(type_name) = &definition.type_name else {
            return Err(PgError::internal("a field without type"));
        };
        let (ty, typmod) = column::column_type(ctx, type_name, name)?;
        if out.iter().any(|column| column.name == *name) {
            return Err(PgError::new(
                sqlstate::DUPLICATE_COLUMN,
                format!("column \"{name}\" specified more than once"),
            ));
        }
        out.push(column::plain(name.clone(), ty, typmod));
    }
    Ok(out)
}

fn require(ctx: &DdlContext<'_>, name: &QName) -> Result<Arc<UserType>> {
    let catalog = ctx.catalog();
    let path = ctx.path(&catalog);
    let oid = catalog.lookup_type(&path, name.schema().map(SmolStr::as_str), name.name())?;
    let Some(ty) = catalog.user_type(oid).filter(|_| oid.0 >= Oid::FIRST_USER.0) else {
        return Err(PgError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("must be owner of type {}", format_type(oid, -1, &*ctx.names)),
        ));
    };
    ctx.must_own(ty.owner, "type", name.name())?;
    Ok(Arc::clone(ty))
}

pub async fn alter_type(ctx: &DdlContext<'_>, statement: &AlterType) -> Result<String> {
    let tag = "ALTER TYPE".to_owned();
    let found = require(ctx, &statement.name)?;
    ctx.lock_name(super::context::CLASS_TYPE, found.schema, &found.name).await?;
    let mut ty = UserType::clone(&*require(ctx, &statement.name)?);
    match &statement.action {
        AlterTypeAction::AddValue {
            if_not_exists,
            value,
            place,
        } => {
            let mut labels = labels_of(&ty, &statement.name)?;
            check_label(value)?;
            if labels.iter().any(|(_, one)| one == value) {
                let message = format!("enum label \"{value}\" already exists");
                if *if_not_exists {
                    ctx.skip(sqlstate::DUPLICATE_OBJECT, format!("{message}, skipping"));
                    return Ok(tag);
                }
                return Err(PgError::new(sqlstate::DUPLICATE_OBJECT, message));
            }
            let at = match place {
                None => labels.len(),
                Some((place, neighbour)) => {
                    let at = label_at(&labels, neighbour)?;
                    if *place == EnumPlace::Before { at } else { at + 1 }
                }
            };
            labels.insert(at, (ctx.new_oid(), SmolStr::from(value)));
            ty.kind = UserTypeKind::Enum(labels.into());
        }
        AlterTypeAction::RenameValue { from, to } => {
            let labels = labels_of(&ty, &statement.name)?;
            label_at(&labels, from)?;
            if labels.iter().any(|(_, one)| one == to) {
                return Err(PgError::new(
                    sqlstate::DUPLICATE_OBJECT,
                    format!("enum label \"{to}\" already exists"),
                ));
            }
            // Rows hold labels.
            return Err(PgError::unsupported("ALTER TYPE ... RENAME VALUE"));
        }
        AlterTypeAction::RenameAttribute { .. } | AlterTypeAction::Attributes => {
            return Err(PgError::unsupported("ALTER TYPE of attributes"));
        }
        AlterTypeAction::SetProperties => return Err(PgError::unsupported("ALTER TYPE SET")),
    }
    put(ctx, ty)?;
    Ok(tag)
}

fn labels_of(ty: &UserType, name: &QName) -> Result<Vec<(Oid, SmolStr)>> {
    match &ty.kind {
        UserTypeKind::Enum(labels) => Ok(labels.to_vec()),
        _ => Err(PgError::new(sqlstate::WRONG_OBJECT_TYPE, format!("{name} is not an enum"))),
    }
}

fn label_at(labels: &[(Oid, SmolStr)], label: &str) -> Result<usize> {
    labels.iter().position(|(_, one)| one == label).ok_or_else(|| {
        PgError::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("\"{label}\" is not an existing enum label"),
        )
    })
}

pub async fn create_domain(ctx: &DdlContext<'_>, statement: &CreateDomain) -> Result<String> {
    let (base, typmod) = exprs::resolve_type(ctx, &statement.base).map_err(|mut error| {
        error.fields_mut().position = None;
        error
    })?;
    if crate::types::info::info(base).is_some_and(|row| row.kind == 'p') {
        return Err(PgError::new(
            sqlstate::DATATYPE_MISMATCH,
            format!("\"{}\" is not a valid base type for a domain", statement.base),
        ));
    }
    let name = statement.name.name();
    let (mut not_null, mut nullable) = (false, false);
    let mut default = None;
    let mut checks: Vec<(Oid, SmolStr, String)> = Vec::new();
    for constraint in &statement.constraints {
        match &constraint.kind {
            ColumnConstraintKind::NotNull => not_null = true,
            ColumnConstraintKind::Null => nullable = true,
            ColumnConstraintKind::Default(expr) => {
                if default.is_some() {
                    return Err(PgError::new(sqlstate::SYNTAX_ERROR, "multiple default expressions"));
                }
                let column = column::plain(name.clone(), base, typmod);
                default = Some(exprs::default_value(ctx, &column, &expr.expr)?.1);
            }
            ColumnConstraintKind::Check { expr, .. } => {
                let text = domain_check(ctx, base, typmod, expr)?;
                let named = constraint.name.as_ref().map(|name| name.text.clone());
                let check = check_name(name, &checks, named)?;
                checks.push((ctx.new_oid(), check, text));
            }
            ColumnConstraintKind::PrimaryKey(_) => return Err(not_possible("primary key")),
            ColumnConstraintKind::Unique(_) => return Err(not_possible("unique")),
            ColumnConstraintKind::References(_) => return Err(not_possible("foreign key")),
            ColumnConstraintKind::Identity { .. } | ColumnConstraintKind::Generated(_) => {
                return Err(PgError::new(
                    sqlstate::FEATURE_NOT_SUPPORTED,
                    "specifying GENERATED is not supported for domains",
                ));
            }
        }
    }
    if not_null && nullable {
        return Err(PgError::new(sqlstate::SYNTAX_ERROR, "conflicting NULL/NOT NULL constraints"));
    }
    let kind = UserTypeKind::Domain {
        base,
        typmod,
        not_null,
        default,
        checks,
    };
    let ty = blank(ctx, &statement.name, kind).await?;
    put(ctx, ty)?;
    Ok("CREATE DOMAIN".to_owned())
}

fn not_possible(what: &str) -> PgError {
    PgError::new(sqlstate::SYNTAX_ERROR, format!("{what} constraints not possible for domains"))
}

fn check_name(domain: &str, checks: &[(Oid, SmolStr, String)], name: Option<SmolStr>) -> Result<SmolStr> {
    let taken = |name: &str| checks.iter().any(|(_, one, _)| one == name);
    match name {
        Some(name) if taken(&name) => Err(PgError::new(
            sqlstate::DUPLICATE_OBJECT,
            format!("constraint \"{name}\" for domain \"{domain}\" already exists"),
        )),
        Some(name) => Ok(name),
        None => Ok(free_name(domain, None, "check", taken)),
    }
}

/// A domain's CHECK, bound over a row of one column called `value`, which stands for VALUE in the kept text.
fn domain_check(ctx: &DdlContext<'_>, base: Oid, typmod: i32, expr: &ExprText) -> Result<String> {
    let stand_in = Arc::new(stand_in(ctx, base, typmod));
    let (_, text, _) = exprs::check(ctx, &stand_in, &expr.expr)?;
    say_value(&text)
}

/// A table with the one column `value`.
fn stand_in(_ctx: &DdlContext<'_>, base: Oid, typmod: i32) -> crate::catalog::Table {
    crate::catalog::Table {
        oid: Oid::INVALID,
        schema: Oid::INVALID,
        name: SmolStr::default(),
        owner: Oid::INVALID,
        storage: crate::ids::StorageId(0),
        row_key: crate::catalog::RowKey::RowId,
        columns: vec![column::plain(SmolStr::new("value"), base, typmod)],
        constraints: Vec::new(),
        indexes: Vec::new(),
        row_type: Oid::INVALID,
        array_type: Oid::INVALID,
        temporary: false,
        unlogged: false,
        options: Vec::new(),
        virtual_source: None,
        acl: None,
    }
}

/// `value` as a name becomes VALUE; the text is SQL, so it is parsed rather than searched.
fn say_value(text: &str) -> Result<String> {
    let mut expr = crate::parse::parse_expression(text)?;
    let _ = ast::visit_expressions_mut(&mut expr, |part| {
        if let ast::Expr::Identifier(ident) = part
            && ident.value.eq_ignore_ascii_case("value")
        {
            *ident = ast::Ident::new("VALUE");
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    Ok(expr.to_string())
}

pub async fn alter_domain(ctx: &DdlContext<'_>, statement: &AlterDomain) -> Result<String> {
    let tag = "ALTER DOMAIN".to_owned();
    let mut ty = UserType::clone(&*require(ctx, &statement.name)?);
    let used = is_used(ctx, &ty);
    let UserTypeKind::Domain {
        base,
        typmod,
        not_null,
        default,
        checks,
    } = &mut ty.kind
    else {
        return Err(PgError::new(
            sqlstate::WRONG_OBJECT_TYPE,
            format!("{} is not a domain", statement.name),
        ));
    };
    let scan = |what: &str| {
        if used {
            Err(PgError::unsupported(format!("{what} of a domain that tables use")))
        } else {
            Ok(())
        }
    };
    match &statement.action {
        AlterDomainAction::SetDefault(expr) => {
            let column = column::plain(statement.name.name().clone(), *base, *typmod);
            *default = Some(exprs::default_value(ctx, &column, &expr.expr)?.1);
        }
        AlterDomainAction::DropDefault => *default = None,
        AlterDomainAction::SetNotNull => {
            scan("SET NOT NULL")?;
            *not_null = true;
        }
        AlterDomainAction::DropNotNull => *not_null = false,
        AlterDomainAction::AddConstraint(constraint) => {
            let TableConstraintKind::Check(expr) = &constraint.kind else {
                return Err(not_possible("such"));
            };
            if !constraint.deferral.not_valid {
                scan("ADD CONSTRAINT")?;
            }
            let text = domain_check(ctx, *base, *typmod, expr)?;
            let named = constraint.name.as_ref().map(|name| name.text.clone());
            let name = check_name(statement.name.name(), checks, named)?;
            checks.push((ctx.new_oid(), name, text));
        }
        AlterDomainAction::DropConstraint { if_exists, name, .. } => {
            let before = checks.len();
            checks.retain(|(_, one, _)| *one != name.text);
            if checks.len() == before {
                let message = format!("constraint \"{name}\" of domain \"{}\" does not exist", statement.name.name());
                if !if_exists {
                    return Err(PgError::new(sqlstate::UNDEFINED_OBJECT, message));
                }
                ctx.skip(sqlstate::SUCCESSFUL_COMPLETION, format!("{message}, skipping"));
            }
        }
        AlterDomainAction::ValidateConstraint(_) => scan("VALIDATE CONSTRAINT")?,
        AlterDomainAction::RenameConstraint { from, to } => {
            let name = check_name(statement.name.name(), checks, Some(to.text.clone()))?;
            let Some(check) = checks.iter_mut().find(|(_, one, _)| *one == from.text) else {
                return Err(PgError::new(
                    sqlstate::UNDEFINED_OBJECT,
                    format!("constraint \"{from}\" for domain {} does not exist", statement.name.name()),
                ));
            };
            check.1 = name;
        }
    }
    put(ctx, ty)?;
    Ok(tag)
}

fn is_used(ctx: &DdlContext<'_>, ty: &UserType) -> bool {
    ctx.catalog().user_tables().any(|table| {
        table
            .live_columns()
            .any(|(_, column)| column.ty == ty.oid || column.ty == ty.array_type)
    })
}
